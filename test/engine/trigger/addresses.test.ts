/** The address of n8n, to which the service has to deliver: whether the trigger registers it. */
import { Triggers, useService } from '../../../harness/engine/service';
import { unreachableReason } from '../../../nodes/BusinessMessaging/webhooks/publicAddress';

const service = useService();
const triggers = new Triggers(service);

describe('addresses of n8n', () => {
	const local = 'is only known to this machine or its network';
	const activate = async (webhookBaseUrl?: string) => {
		const credentials = service.credentials({ baseUrl: 'https://api.example.com' });
		return await triggers.active({ credentials, webhookBaseUrl });
	};

	test.each([
		['a name of a local network', 'localhost n8n n8n.internal app.localhost.'],
		['loopback', '127.0.0.1 0.0.0.0 [::1] [::] 127.1 2130706433 0x7f.1'],
		['a private network', '10.1.2.3 172.16.0.1 172.31.255.255 192.168.0.1 198.18.0.1 198.19.0.1'],
		['the network of a provider', '100.64.0.1 100.127.255.255'],
		['link-local and multicast', '169.254.169.254 [fe80::1] [fd00::1] 224.0.0.1'],
		[
			'IPv4 in IPv6',
			'[::ffff:127.0.0.1] [::127.0.0.1] [::ffff:10.0.1.1] [2002:7f00:1::] [64:ff9b::a00:1] [2001::1]',
		],
	])('that the service cannot reach: %s', async (_, hosts) => {
		for (const host of hosts.split(' ')) {
			const { origin } = new URL(`https://${host}`);
			await expect(activate(`https://${host}`)).rejects.toThrow(
				`The service cannot deliver to ${origin}: the address ${local}`,
			);
		}
	});

	test('that the service cannot reach: the error says what to do', async () => {
		await expect(activate()).rejects.toThrow(
			/http:\/\/127\.0\.0\.1:\d+: the address is only known to this machine.*WEBHOOK_URL/,
		);
	});

	test('that the service cannot reach: plain HTTP', async () => {
		await expect(activate('http://n8n.example.com')).rejects.toThrow(
			'The service cannot deliver to http://n8n.example.com: the address does not start with https://',
		);
	});

	// tested on the function, because there is no such service
	test.each([
		['a name', 'n8n.example.com localhost.example.com 10.example.com'],
		['an address', '8.8.8.8 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 198.17.0.1 198.20.0.1'],
		[
			'an address like a private one',
			'1.100.64.1 169.253.0.1 8.254.0.1 192.167.0.1 8.168.0.1 8.18.0.1',
		],
		[
			'an IPv6 address',
			'[2606:4700::1111] [2001:db80::1] [2606:4700::7f00:1] [2606:4700::fd00] [::ffff:8.8.8.8]',
		],
		['a name with a private address in it', '10.0.0.1.example.com a10.0.0.1.example.com'],
	])('that the service can reach: %s', (_, hosts) => {
		for (const host of hosts.split(' '))
			expect([host, unreachableReason(new URL(`https://${host}`))]).toEqual([host, undefined]);
	});
});
