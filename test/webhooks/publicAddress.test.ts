/** Which addresses the internet can reach. */
import { unreachableReason } from '../../nodes/BusinessMessaging/webhooks/publicAddress';

const reasonOf = (host: string) => unreachableReason(new URL(`https://${host}`));

test.each([
	['a name', 'n8n.example.com localhost.example.com 10.example.com'],
	['IPv4', '8.8.8.8 172.15.0.1 172.32.0.1 100.128.0.1'],
	['IPv6', '[2606:4700::1111]'],
])('%s can be reached', (_, hosts) => {
	for (const host of hosts.split(' ')) expect([host, reasonOf(host)]).toEqual([host, undefined]);
});

test.each([
	['a name of a local network', 'localhost n8n n8n.local n8n.internal app.localhost.'],
	['loopback', '127.0.0.1 0.0.0.0 [::1] [::]'],
	['loopback written otherwise', '127.1 2130706433 0x7f.1 0177.0.0.1 017700000001'],
	['a private network', '10.1.2.3 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 [fd00::1]'],
	['link-local and multicast', '169.254.169.254 [fe80::1] 224.0.0.1'],
	['IPv4 in IPv6', '[::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::ffff:10.0.0.1]'],
	['a tunnel to IPv4', '[2002:7f00:1::] [64:ff9b::10.0.0.1]'],
])('%s is private', (_, hosts) => {
	const reason = 'is only known to this machine or its network';
	for (const host of hosts.split(' ')) expect([host, reasonOf(host)]).toEqual([host, reason]);
});

test('plain HTTP cannot be reached', () => {
	expect(unreachableReason(new URL('http://n8n.example.com'))).toBe('does not start with https://');
});
