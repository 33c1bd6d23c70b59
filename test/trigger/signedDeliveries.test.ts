/** The sandbox signs what it delivers, in every form that the trigger knows: taken as it comes, refused once somebody has touched it. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import axios from 'axios';
import { omit } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { signingSchema } from '../../sandbox/signing';
import { useService } from '../support/service';
import type { Trigger } from '../support/trigger';
import { Triggers, customer, received, waitUntil } from './support';

const service = useService({ deliveryAttempts: 1 });
const triggers = new Triggers(service);

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const own = {
	header: 'X-Own',
	algorithm: 'sha512',
	encoding: 'base64',
	prefix: 'v=',
	timestampHeader: 'X-Time',
} as const;

interface Form {
	parameters: INodeParameters;
	signing: Omit<(typeof signingSchema)['_input'], 'secret'>;
	/** Header with the signature, in lower case. */
	header: string;
	/** Header with the time, if there is one. */
	time?: string;
}

const forms: Record<string, Form> = {
	'Standard Webhooks': {
		parameters: { signature: 'standardWebhooks' },
		signing: { scheme: 'standardWebhooks' },
		header: 'webhook-signature',
		time: 'webhook-timestamp',
	},
	'HMAC with Timestamp': {
		parameters: { signature: 'timestamped' },
		signing: { scheme: 'timestamped' },
		header: 'x-signature',
		time: 'x-signature',
	},
	'HMAC with a prefix': {
		parameters: {
			signature: 'custom',
			signatureHeader: 'X-Hub-Signature-256',
			signatureOptions: { prefix: 'sha256=' },
		},
		signing: { scheme: 'sha256' },
		header: 'x-hub-signature-256',
	},
	HMAC: {
		parameters: { signature: 'custom' },
		signing: { scheme: 'hex' },
		header: 'x-signature',
	},
	'HMAC with another algorithm': {
		parameters: { signature: 'custom', signatureOptions: { algorithm: 'sha1' } },
		signing: { scheme: 'custom', algorithm: 'sha1' },
		header: 'x-signature',
	},
	'HMAC with a timestamp header': {
		parameters: { signature: 'custom', signatureHeader: own.header, signatureOptions: { ...own } },
		signing: { scheme: 'custom', ...own },
		header: 'x-own',
		time: 'x-time',
	},
};

interface Parcel {
	headers: IncomingHttpHeaders;
	body: string;
}

/** What somebody between service and n8n does to a delivery. */
let tamper: (parcel: Parcel) => Parcel = (parcel) => parcel;
let target = '';
let between: Server;

beforeAll(async () => {
	between = createServer((request, response) => {
		void text(request).then(async (content) => {
			const { headers, body } = tamper({
				headers: omit(request.headers, 'content-length'),
				body: content,
			});
			const { status } = await axios.post(target, body, {
				headers: { ...headers },
				validateStatus: () => true,
				transformRequest: (value: unknown) => value,
			});
			response.writeHead(status).end();
		});
	});
	await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
});
afterAll(() => between.close());

const put = async (body: unknown) =>
	await axios.put(`${service.sandbox.url}/_sandbox/signing`, body, { validateStatus: () => true });

/** Has the sandbox deliver a message to the trigger, by way of somebody else. @returns the trigger's answer */
async function statusOf(
	trigger: Trigger,
	change: (parcel: Parcel) => Parcel,
): Promise<number | null> {
	[tamper, target] = [change, triggers.urlOf(trigger)];
	const { port } = between.address() as AddressInfo;
	const { webhooks, deliveries } = service.sandbox.state;
	const webhook = webhooks.create({
		url: `http://127.0.0.1:${port}/`,
		events: ['nothing.by.itself'],
	});
	const delivery = deliveries.deliver(
		webhook,
		'message.received',
		received({ id: `msg ${Math.random()}` }).data,
	);
	await waitUntil(() => delivery.state !== 'pending');
	return delivery.attempts[0].status;
}

const inHeader =
	(name: string, change: (value: string) => string) =>
	({ headers, body }: Parcel) => ({
		headers: { ...headers, [name]: change(String(headers[name])) },
		body,
	});
const flipped = (value: string) =>
	value.replace(
		/([\da-zA-Z])(=*)$/,
		(_, last: string, rest: string) => `${last === '0' ? '1' : '0'}${rest}`,
	);
const later = (value: string) => value.replace(/\d{10}/, (time) => String(Number(time) + 1));

test.each(Object.entries(forms))('%s', async (_, { parameters, signing, header, time }) => {
	const trigger = await triggers.active({
		parameters,
		credentials: service.credentials({ webhookSecret: secret }),
	});
	expect((await put({ ...signing, secret })).status).toBe(204);
	expect(await statusOf(trigger, (parcel) => parcel)).toBe(200);
	expect(trigger.executions).toHaveLength(1);

	expect(
		await statusOf(trigger, ({ headers, body }) => ({
			headers,
			body: body.replace(customer, '+15550006666'),
		})),
	).toBe(401);
	expect(await statusOf(trigger, ({ headers, body }) => ({ headers, body: `${body} ` }))).toBe(401);
	expect(await statusOf(trigger, inHeader(header, flipped))).toBe(401);
	expect(
		await statusOf(trigger, ({ headers, body }) => ({ headers: omit(headers, header), body })),
	).toBe(401);
	if (time) expect(await statusOf(trigger, inHeader(time, later))).toBe(401);
	expect((await put({ ...signing, secret: 'whsec_bm90aGluZw==' })).status).toBe(204);
	expect(await statusOf(trigger, (parcel) => parcel)).toBe(401);
	expect(trigger.executions).toHaveLength(1);
});

test('the sandbox signs with the same identifier when it delivers an event again, and can stop signing', async () => {
	const trigger = await triggers.active();
	const seen: IncomingHttpHeaders[] = [];
	const look = (parcel: Parcel) => {
		seen.push(parcel.headers);
		return parcel;
	};
	[tamper, target] = [look, triggers.urlOf(trigger)];
	const { port } = between.address() as AddressInfo;
	const { webhooks, deliveries } = service.sandbox.state;
	const webhook = webhooks.create({
		url: `http://127.0.0.1:${port}/`,
		events: ['nothing.by.itself'],
	});
	await put({ scheme: 'standardWebhooks', secret });
	const again = () => deliveries.deliver(webhook, 'message.received', received().data);
	const all = [again(), again()];
	await waitUntil(() => all.every(({ state }) => state !== 'pending'));
	expect(trigger.executions).toHaveLength(1);
	await axios.delete(`${service.sandbox.url}/_sandbox/signing`);
	const last = again();
	await waitUntil(() => last.state !== 'pending');
	expect(seen.map((headers) => headers['webhook-id'])).toEqual([
		expect.stringMatching(/^evt_/),
		seen[0]['webhook-id'],
		undefined,
	]);
});

test.each([
	{ scheme: 'rot13', secret },
	{ scheme: 'hex' },
	{ scheme: 'standardWebhooks', secret: 'no base64!' },
])('the sandbox refuses to sign as %j', async (body) => {
	expect((await put(body)).status).toBe(422);
});
