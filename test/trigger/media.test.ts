/** Files that messages bring along. A public host is stood in for by one on this machine; all else is n8n's own helper. */
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

beforeAll(async () => {
	files = createServer((request, response) => {
		asked.push(request.url ?? '');
		const [, name] = (request.url ?? '').split('/');
		if (name === 'moved') response.writeHead(302, { location: '/photo.png' }).end();
		else if (name === 'inside') response.writeHead(302, { location: 'https://10.0.0.1/secret' }).end();
		else if (name === 'circle') response.writeHead(302, { location: '/circle' }).end();
		else if (name === 'gone') response.writeHead(404).end('no');
		else if (name === 'large') response.writeHead(200).end(Buffer.alloc(3 * 1024 * 1024));
		else if (name === 'broken') response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy());
		else response.writeHead(200, { 'content-type': 'image/png; charset=binary' }).end(picture);
	});
	await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
	const local = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
	const node = service.engine.loaded.node('businessMessagingTrigger');
	const webhook = Reflect.get(node, 'webhook') as (this: IWebhookFunctions) => Promise<IWebhookResponseData>;
	node.webhook = async function (this: IWebhookFunctions) {
		const send = this.helpers.httpRequest.bind(this.helpers);
		this.helpers.httpRequest = async (options: IHttpRequestOptions) => await send({ ...options, url: options.url.replace(host, local) });
		return await webhook.call(this);
	};
});

beforeEach(() => {
	asked = [];
});

afterAll(async () => await new Promise((resolve) => files.close(resolve)));

async function deliver(data: Record<string, unknown>, options = {}): Promise<Answer> {
	const trigger = await triggers.active({ parameters: { options: { downloadMedia: true, ...options } } });
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
	['of a private address', 'https://192.168.1.10/photo.png', 'is only known to this machine or its network'],
	['of this machine', 'https://localhost/photo.png', 'is only known to this machine or its network'],
	['behind a redirect into a private network', `${host}/inside`, 'is only known to this machine or its network'],
	['without encryption', 'http://files.example.org/photo.png', 'does not start with https://'],
	['that is too large', `${host}/large`, 'larger than 2048 KB'],
	['that is gone', `${host}/gone`, 'HTTP 404'],
	['behind endless redirects', `${host}/circle`, 'redirects too often'],
	['that breaks off', `${host}/broken`, 'cannot be reached'],
])('starts the workflow without a file %s, and says so', async (_, mediaUrl, reason) => {
	const { status, workflowData } = await deliver({ mediaUrl }, { largestFile: 2 });
	const [{ binary, json }] = workflowData?.[0] ?? [];
	expect([status, binary, json?.text]).toEqual([200, undefined, 'Hello']);
	expect(json?.mediaError).toContain(reason);
});

test('downloads nothing unless asked to, and nothing for an event that starts nothing', async () => {
	await deliver({ mediaUrl: `${host}/photo.png` }, { downloadMedia: false });
	const trigger = await triggers.active({ parameters: { options: { downloadMedia: true }, filters: { textEquals: 'yes' } } });
	await triggers.deliver(trigger, received({ mediaUrl: `${host}/photo.png` }));
	expect(asked).toEqual([]);
});
