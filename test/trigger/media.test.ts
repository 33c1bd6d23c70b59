/**
 * Files that messages bring along. A public host is stood in for by one on this machine, and so are the answers of the name
 * service; all else is n8n's own helper.
 */
import { promises as dns } from 'node:dns';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { IHttpRequestOptions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { useOtherHost } from '../support/otherHost';
import { useService } from '../support/service';
import type { Answer } from '../support/trigger';
import { Triggers, received } from './support';

const service = useService();
const triggers = new Triggers(service);

const host = 'https://files.example.org';
const picture = Buffer.from('89504e470d0a1a0a', 'hex');
const files = useOtherHost(answer);

/** Where names lead. */
const names: Record<string, string[]> = {
	'files.example.org': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
	'inside.example.org': ['10.0.0.1'],
	'both.example.org': ['93.184.215.14', '192.168.1.1'],
	'metadata.example.org': ['169.254.169.254'],
	'loopback6.example.org': ['::1'],
	'local6.example.org': ['fd00::1'],
	'mapped.example.org': ['::ffff:10.0.0.1'],
};

function lookUp(name: string): Array<{ address: string; family: number }> {
	const addresses = names[name];
	if (!addresses)
		throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
	return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

const redirects: Record<string, string> = {
	'/moved': '/photo.png',
	'/inside': 'https://10.0.0.1/secret',
	'/byName': 'https://inside.example.org/secret',
	'/circle': '/circle',
};

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
	if (redirects[url]) response.writeHead(302, { location: redirects[url] }).end();
	else if (url === '/gone') response.writeHead(404).end('no');
	else if (url === '/large') response.writeHead(200).end(Buffer.alloc(3 * 1024 * 1024));
	else if (url === '/broken')
		response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy());
	else response.writeHead(200, { 'content-type': 'image/png; charset=binary' }).end(picture);
}

beforeAll(() => {
	jest.spyOn(dns, 'lookup').mockImplementation(async (name) => lookUp(name) as never);
	const node = service.engine.loaded.node('businessMessagingTrigger');
	const webhook = Reflect.get(node, 'webhook') as (
		this: IWebhookFunctions,
	) => Promise<IWebhookResponseData>;
	node.webhook = async function (this: IWebhookFunctions) {
		const send = this.helpers.httpRequest.bind(this.helpers);
		this.helpers.httpRequest = async (options: IHttpRequestOptions) =>
			await send({ ...options, url: options.url.replace(host, files.url) });
		return await webhook.call(this);
	};
});

afterAll(() => jest.restoreAllMocks());

async function deliver(data: Record<string, unknown>, options = {}): Promise<Answer> {
	const trigger = await triggers.active({
		parameters: { options: { downloadMedia: true, ...options } },
	});
	return await triggers.deliver(trigger, received(data));
}

test.each<[string, Record<string, unknown>]>([
	['a field of its own', { mediaUrl: `${host}/photo.png` }],
	['an object', { image: { url: `${host}/photo.png`, caption: 'A' } }],
	['a list', { attachments: [{ link: `${host}/photo.png` }] }],
	['a host that redirects', { document: { url: `${host}/moved` } }],
])('comes out as binary data from %s', async (_, data) => {
	const { workflowData } = await deliver(data);
	const [{ binary, json }] = workflowData?.[0] ?? [];
	expect(binary?.media).toMatchObject({ fileName: 'photo.png', mimeType: 'image/png' });
	expect(Buffer.from(binary?.media.data ?? '', 'base64')).toEqual(picture);
	expect(json).not.toHaveProperty('mediaError');
});

const [isPrivate, leadsInside] = [
	'is only known to this machine or its network',
	'leads into a private network',
];

test.each([
	['of a private address', 'https://192.168.1.10/photo.png', isPrivate],
	['of this machine', 'https://localhost/photo.png', isPrivate],
	['behind a redirect into a private network', `${host}/inside`, isPrivate],
	['of a name that leads inside', 'https://inside.example.org/photo.png', leadsInside],
	['of a name that also leads inside', 'https://both.example.org/photo.png', leadsInside],
	["of a cloud's metadata", 'https://metadata.example.org/latest', leadsInside],
	['of this machine by IPv6', 'https://loopback6.example.org/photo.png', leadsInside],
	['of a private network by IPv6', 'https://local6.example.org/photo.png', leadsInside],
	['of IPv4 in IPv6', 'https://mapped.example.org/photo.png', leadsInside],
	['behind a redirect to such a name', `${host}/byName`, leadsInside],
	['of a name that nobody knows', 'https://unknown.example.org/photo.png', 'cannot be reached'],
	['without encryption', 'http://files.example.org/photo.png', 'does not start with https://'],
	['that is too large', `${host}/large`, 'larger than 2048 KB'],
	['that is gone', `${host}/gone`, 'HTTP 404'],
	['behind endless redirects', `${host}/circle`, 'redirects too often'],
	['that breaks off', `${host}/broken`, 'cannot be reached'],
])('starts the workflow without a file %s, and says so', async (_, mediaUrl, reason) => {
	const { status, workflowData } = await deliver({ mediaUrl }, { maxFileSize: 2 });
	const [{ binary, json }] = workflowData?.[0] ?? [];
	expect([status, binary, json?.text]).toEqual([200, undefined, 'Hello']);
	expect(json?.mediaError).toContain(reason);
});

test.each([
	['..%2F..%2Fetc%2Fpasswd', 'passwd'],
	['..%5C..%5Cevil.exe', 'evil.exe'],
	['a%00%0D%0Ab.png', 'ab.png'],
	['%2E%2E%2Fx', 'x'],
	['...hidden', 'hidden'],
	['%', '%'],
	['', 'file'],
])('%j gives the file the name %j', async (path, name) => {
	const { workflowData } = await deliver({ mediaUrl: `${host}/${path}` });
	expect(workflowData?.[0][0].binary?.media.fileName).toBe(name);
});

test('downloads nothing unless asked to, and nothing for an event that starts nothing', async () => {
	await deliver({ mediaUrl: `${host}/photo.png` }, { downloadMedia: false });
	const trigger = await triggers.active({
		parameters: { options: { downloadMedia: true }, filters: { textEquals: 'yes' } },
	});
	await triggers.deliver(trigger, received({ mediaUrl: `${host}/photo.png` }));
	expect(files.seen).toEqual([]);
});
