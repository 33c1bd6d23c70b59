/**
 * Files that messages bring along. A public host is stood in for by one on this machine, and so are the answers of the name
 * service; all else is n8n's own helper.
 */
import { promises as dns } from 'node:dns';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IHttpRequestOptions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { useService } from '../support/service';
import type { Answer } from '../support/trigger';
import { Triggers, received } from './support';

const service = useService();
const triggers = new Triggers(service);

const host = 'https://files.example.org';
const picture = Buffer.from('89504e470d0a1a0a', 'hex');
let files: Server;
let asked: string[];

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

beforeAll(async () => {
	jest.spyOn(dns, 'lookup').mockImplementation(async (name) => lookUp(name) as never);
	files = createServer((request, response) => {
		asked.push(request.url ?? '');
		const [, name] = (request.url ?? '').split('/');
		if (name === 'moved') response.writeHead(302, { location: '/photo.png' }).end();
		else if (name === 'inside')
			response.writeHead(302, { location: 'https://10.0.0.1/secret' }).end();
		else if (name === 'byName')
			response.writeHead(302, { location: 'https://inside.example.org/secret' }).end();
		else if (name === 'circle') response.writeHead(302, { location: '/circle' }).end();
		else if (name === 'gone') response.writeHead(404).end('no');
		else if (name === 'large') response.writeHead(200).end(Buffer.alloc(3 * 1024 * 1024));
		else if (name === 'broken')
			response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy());
		else response.writeHead(200, { 'content-type': 'image/png; charset=binary' }).end(picture);
	});
	await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
	const local = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
	const node = service.engine.loaded.node('businessMessagingTrigger');
	const webhook = Reflect.get(node, 'webhook') as (
		this: IWebhookFunctions,
	) => Promise<IWebhookResponseData>;
	node.webhook = async function (this: IWebhookFunctions) {
		const send = this.helpers.httpRequest.bind(this.helpers);
		this.helpers.httpRequest = async (options: IHttpRequestOptions) =>
			await send({ ...options, url: options.url.replace(host, local) });
		return await webhook.call(this);
	};
});

beforeEach(() => {
	asked = [];
});

afterAll(async () => {
	jest.restoreAllMocks();
	await new Promise((resolve) => files.close(resolve));
});

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

test.each<[string, string, string]>([
	[
		'of a private address',
		'https://192.168.1.10/photo.png',
		'is only known to this machine or its network',
	],
	[
		'of this machine',
		'https://localhost/photo.png',
		'is only known to this machine or its network',
	],
	[
		'behind a redirect into a private network',
		`${host}/inside`,
		'is only known to this machine or its network',
	],
	[
		'of a name that leads into a private network',
		'https://inside.example.org/photo.png',
		'leads into a private network',
	],
	[
		'of a name that also leads into a private network',
		'https://both.example.org/photo.png',
		'leads into a private network',
	],
	[
		'of a name that leads to the metadata of a cloud',
		'https://metadata.example.org/latest',
		'leads into a private network',
	],
	[
		'of a name that leads to this machine by IPv6',
		'https://loopback6.example.org/photo.png',
		'leads into a private network',
	],
	[
		'of a name that leads into a private network by IPv6',
		'https://local6.example.org/photo.png',
		'leads into a private network',
	],
	[
		'of a name that leads to IPv4 in IPv6',
		'https://mapped.example.org/photo.png',
		'leads into a private network',
	],
	['behind a redirect to such a name', `${host}/byName`, 'leads into a private network'],
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
	expect(asked).toEqual([]);
});
