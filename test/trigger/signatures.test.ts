/** Who may start the workflow: signatures in all forms, the secret of a URL registered by hand, the size of bodies, and hostile deliveries. */
import { createHmac } from 'node:crypto';

import fc from 'fast-check';
import { chunk, mapValues, omit, uniq } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { Webhook } from 'standardwebhooks';

import { customer, received, Triggers, useService } from '../support/service';
import { until } from '../../tools/until';

const service = useService({ deliveryAttempts: 1 });
const triggers = new Triggers(service);

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const otherSecret = 'whsec_bm90aGluZw==';
const body = JSON.stringify(received());
const seconds = (offset = 0) => String(Math.floor(Date.now() / 1000) + offset);

const hmac = (key: string | Buffer, text: string, algorithm = 'sha256') =>
	createHmac(algorithm, key).update(text);
const signed = (values: INodeParameters): INodeParameters => ({
	options: { signature: { values } },
});
const ownForm = { prefix: 'v=', timestampHeader: 'X-Time' };

interface Form {
	parameters: INodeParameters;
	/** The headers of a body that is signed at a time. */
	sign: (text: string, key: string, time: string) => Record<string, string>;
	hasTime: boolean;
	/** How the sandbox signs, if not by `sign`. */
	signDelivery?: (text: string, time: string) => Record<string, string>;
}

const forms: Record<string, Form> = {
	'Standard Webhooks': {
		parameters: signed({ scheme: 'standardWebhooks' }),
		sign: (text, key, time) => {
			const keyBytes = Buffer.from(key.slice('whsec_'.length), 'base64');
			const digest = hmac(keyBytes, `msg_p5.${time}.${text}`).digest('base64');
			return {
				'webhook-id': 'msg_p5',
				'webhook-timestamp': time,
				'webhook-signature': `v1a,bm90aGluZw== v1,bm90aGluZw== v1,${digest}`,
			};
		},
		hasTime: true,
		signDelivery: (text, time) => ({
			'webhook-id': 'msg_1',
			'webhook-timestamp': time,
			'webhook-signature': new Webhook(secret).sign('msg_1', new Date(Number(time) * 1000), text),
		}),
	},
	'HMAC with a prefix': {
		parameters: signed({ header: 'X-Hub-Signature-256', prefix: 'sha256=' }),
		sign: (text, key) => ({ 'X-Hub-Signature-256': `sha256=${hmac(key, text).digest('hex')}` }),
		hasTime: false,
	},
	'HMAC in capitals': {
		parameters: signed({}),
		sign: (text, key) => ({ 'X-Signature': hmac(key, text).digest('hex').toUpperCase() }),
		hasTime: false,
	},
	'HMAC with another algorithm, encoding and a time': {
		parameters: signed({ scheme: 'sha512-base64', header: 'X-Own', ...ownForm }),
		sign: (text, key, time) => ({
			'X-Time': time,
			'X-Own': `v=${hmac(key, `${time}.${text}`, 'sha512').digest('base64')}`,
		}),
		hasTime: true,
	},
};

const active = async (parameters: INodeParameters) =>
	await triggers.active({
		parameters,
		credentials: service.credentials({ webhookSecret: secret }),
	});

test.each(Object.entries(forms))('takes %s, and nothing that was touched', async (_, form) => {
	const { parameters, sign, hasTime } = form;
	const trigger = await active(parameters);
	const now = seconds();
	const right = sign(body, secret, now);
	const times = hasTime ? [seconds(-400), seconds(400), 'yesterday', ''] : [];
	const touched: Array<[text: string, headers: Record<string, string>]> = [
		[body.replace(customer, '+15550006666'), right],
		[`${body} `, right],
		[body, sign(body, otherSecret, now)],
		[body, mapValues(right, (value) => value.slice(0, -4))],
		...Object.keys(right).map((name): [string, Record<string, string>] => [
			body,
			omit(right, name),
		]),
		...times.map((time): [string, Record<string, string>] => [body, sign(body, secret, time)]),
	];
	if (hasTime) touched.push([body, mapValues(right, (value) => value.replace(now, seconds(1)))]);
	for (const [text, headers] of touched)
		expect((await triggers.deliver(trigger, text, headers)).status).toBe(401);
	expect(trigger.executions).toEqual([]);
	expect((await triggers.deliver(trigger, body, right)).status).toBe(200);

	const { state } = service.sandbox;
	const { signDelivery = (text, time) => sign(text, secret, time) } = form;
	state.deliveries.sign = (text) => signDelivery(text, seconds());
	const { deliveries } = state.traffic.receive({ from: customer, text: 'Signed' });
	await until('the delivery', () => deliveries[0].state !== 'pending');
	expect(deliveries[0].attempts[0].status).toBe(200);
	expect(trigger.executions).toHaveLength(2);
});

test('a signature does not replace the secret of the URL, and neither is handed on', async () => {
	const trigger = await active({ ...signed({}), simplify: false });
	const headers = { 'X-Signature': hmac(secret, body).digest('hex') };
	const url = triggers.urlOf(trigger);
	expect((await triggers.deliver(trigger, body, headers, trigger.url)).status).toBe(401);
	expect((await triggers.deliver(trigger, body, headers)).status).toBe(200);
	expect(trigger.executions).toHaveLength(1);
	for (const word of [secret, url.slice(-43)])
		expect(JSON.stringify(trigger.executions)).not.toContain(word);
});

test.each([signed({}), { options: { registration: 'manual', requireSecret: true } }])(
	'cannot be activated with %j without a Webhook Secret',
	async (parameters) => {
		const trigger = await triggers.make({ parameters });
		await expect(trigger.activate()).rejects.toThrow("'Webhook Secret' of the credential is empty");
	},
);

test.each<[status: number, query: string, headers: Record<string, string>]>([
	[200, `?token=${secret}`, {}],
	[200, '', { 'X-Webhook-Token': secret }],
	[401, '', {}],
	[401, '?token=', {}],
	[401, '?token=wrong', { 'X-Webhook-Token': secret }],
])('a URL registered by hand gives %d with %j and %j', async (status, query, headers) => {
	const trigger = await active({ options: { registration: 'manual', requireSecret: true } });
	const answer = await triggers.deliver(trigger, body, headers, trigger.url + query);
	expect([answer.status, trigger.executions.length]).toEqual([status, status === 200 ? 1 : 0]);
});

test.each([
	[413, 11_000],
	[200, 9_000],
])('gives %d for %d characters where 10 KB are the most', async (status, length) => {
	const trigger = await triggers.active({ parameters: { options: { maxPayloadSize: 10 } } });
	const answer = await triggers.deliver(trigger, received({ text: 'x'.repeat(length) }));
	expect([answer.status, trigger.executions.length]).toEqual([status, status === 200 ? 1 : 0]);
});

describe('hostile deliveries', () => {
	const count = 1_000;
	const atOnce = 20;
	const seed = Number(process.env.TEST_SEED ?? 1);

	const event = (data: Record<string, unknown>) => JSON.stringify(received(data));
	const replayed = event({ id: 'replayed' });
	const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
	const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
	const depths = fc.constantFrom(101, 20_000);

	/** Bodies under the right secret. */
	const bodies = fc.oneof(
		fc.json({ maxDepth: 5 }),
		fc
			.record(
				{ event: fc.anything(), data: fc.anything(), id: fc.anything() },
				{ requiredKeys: [] },
			)
			.map((value) => JSON.stringify(value) ?? 'null')
			.filter((text) => !text.includes('message.received"')),
		fc
			.constantFrom('message.read', 'MESSAGE.RECEIVED', 'message.received\u0000', '__proto__')
			.map((kind) => JSON.stringify({ event: kind, data: {} })),
		fc
			.oneof(depths.map(nested), depths.map(lists), fc.constantFrom('null', '[]', 'true', '""'))
			.map((data) => `{"event":"message.received","data":${data}}`),
		fc.constant(event({ id: 'large', text: 'x'.repeat(1_100_000) })),
		fc.nat(19).map((rest) => replayed.slice(0, -1 - rest)),
		fc.string({ unit: 'binary', maxLength: 500 }),
		fc.constant(replayed),
	);
	const wrongSecrets: Array<(url: string) => string> = [
		(url) => url.split('?')[0],
		(url) => `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`,
		(url) => url.replace('token=', 'token[]='),
		(url) => url.replace('token=', 'token=&token='),
		(url) => url.replace(/token=.*/, `token=${'x'.repeat(2_000)}`),
	];
	const types = ['application/json', 'application/json; charset=utf-16', 'text/plain', ''];

	/** A body, and the URL that it goes to, made of the registered one. */
	const attacks = fc.oneof(
		{
			weight: 4,
			arbitrary: fc.tuple(
				bodies,
				fc.constant((url: string) => url),
			),
		},
		{ weight: 1, arbitrary: fc.tuple(fc.constant(body), fc.constantFrom(...wrongSecrets)) },
	);

	test(`${count} of them start nothing, and honest ones still do (TEST_SEED=${seed})`, async () => {
		const trigger = await triggers.active();
		const right = triggers.urlOf(trigger);
		const deliver = async (text: string, url = right, type = types[0]) =>
			(await triggers.deliver(trigger, text, { 'Content-Type': type }, url)).status;
		expect(await deliver(replayed)).toBe(200);

		const statuses: number[] = [];
		for (const some of chunk(fc.sample(attacks, { numRuns: count, seed }), atOnce)) {
			const all = some.map(
				async ([text, urlOf], n) => await deliver(text, urlOf(right), types[n % types.length]),
			);
			statuses.push(...(await Promise.all(all)));
		}
		expect(uniq(statuses).sort()).toEqual([200, 400, 401, 413, 422]);
		expect(trigger.executions).toHaveLength(1);
		expect(await deliver(event({ id: 'honest' }))).toBe(200);
		expect(trigger.executions).toHaveLength(2);
	}, 120_000);
});
