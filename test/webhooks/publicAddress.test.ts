/** Which addresses the internet can reach. */
import { unreachableReason } from '../../nodes/BusinessMessaging/webhooks/publicAddress';

test.each([
	'https://n8n.example.com',
	'https://8.8.8.8',
	'https://172.15.0.1',
	'https://172.32.0.1',
	'https://100.128.0.1',
	'https://[2606:4700::1111]',
	'https://localhost.example.com',
	'https://10.example.com',
])('%s can be reached', (address) => {
	expect(unreachableReason(new URL(address))).toBeUndefined();
});

test.each([
	'https://localhost',
	'https://n8n',
	'https://n8n.local',
	'https://n8n.internal',
	'https://app.localhost.',
	'https://127.0.0.1',
	'https://127.1',
	'https://2130706433',
	'https://0x7f.1',
	'https://0177.0.0.1',
	'https://017700000001',
	'https://0.0.0.0',
	'https://10.1.2.3',
	'https://172.16.0.1',
	'https://172.31.255.255',
	'https://192.168.0.1',
	'https://169.254.169.254',
	'https://100.64.0.1',
	'https://224.0.0.1',
	'https://[::1]',
	'https://[::]',
	'https://[fd00::1]',
	'https://[fe80::1]',
	'https://[::ffff:127.0.0.1]',
	'https://[::ffff:7f00:1]',
	'https://[::127.0.0.1]',
	'https://[2002:7f00:1::]',
	'https://[::ffff:10.0.0.1]',
	'https://[64:ff9b::10.0.0.1]',
])('%s is private', (address) => {
	expect(unreachableReason(new URL(address))).toBe('is only known to this machine or its network');
});

test('plain HTTP cannot be reached', () => {
	expect(unreachableReason(new URL('http://n8n.example.com'))).toBe('does not start with https://');
});
