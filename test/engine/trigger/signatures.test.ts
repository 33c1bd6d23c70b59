/** Who may start the workflow: signatures of all kinds, the secret of a URL registered by hand, the size of bodies, and hostile deliveries. */
import { createHmac } from 'node:crypto';

import fc from 'fast-check';
import { chunk, mapValues, omit, uniq } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { Webhook } from 'standardwebhooks';

import {
	isSigned,
	type SignatureSettings,
	signingKey,
} from '../../../nodes/BusinessMessaging/webhooks/signature';
import { customer, received, signed, Triggers, useService } from '../../../harness/engine/service';
import { until } from '../../../harness/until';

const service = useService({ deliveryAttempts: 1 });
const triggers = new Triggers(service);

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const otherSecret = 'whsec_bm90aGluZw==';
const body = JSON.stringify(received());
const seconds = (offset = 0) => String(Math.floor(Date.now() / 1000) + offset);

const hmac = (key: string | Buffer, text: string, algorithm = 'sha256') =>
	createHmac(algorithm, key).update(text);
const ownForm = { prefix: 'v=', timestampHeader: 'X-Time' };

interface Form {
	parameters: INodeParameters;
	/** The headers for a body that is signed at a given time. */
	sign: (text: string, key: string, time: string) => Record<string, string>;
	hasTime: boolean;
	/** How the sandbox signs, if it does not use `sign`. */
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

test.each(Object.entries(forms))(
	'accepts %s, and nothing that was changed after signing',
	async (_, form) => {
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
		for (const valid of [right, sign(body, secret, `${now}000`)]) // in seconds and in ms
			expect((await triggers.deliver(trigger, body, valid)).status).toBe(200);

		const { state } = service.sandbox;
		const { signDelivery = (text, time) => sign(text, secret, time) } = form;
		state.deliveries.sign = (text) => signDelivery(text, seconds());
		const { deliveries } = state.traffic.receive({ from: customer, text: 'Signed' });
		await until('the delivery', () => deliveries[0].state !== 'pending');
		expect(deliveries[0].attempts[0].status).toBe(200);
		expect(trigger.executions).toHaveLength(2);
	},
);

test('a signature does not replace the secret of the URL, and the items contain neither', async () => {
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

describe('Standard Webhooks, with the test cases of its own library', () => {
	const parameters = signed({ scheme: 'standardWebhooks' });
	const settings: SignatureSettings = { scheme: 'standardWebhooks', header: '' };
	const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
	const signature = (webhookSecret = secret, time = Date.now()) =>
		new Webhook(webhookSecret).sign(id, new Date(time), body);
	const right = () => ({
		'webhook-id': id,
		'webhook-timestamp': seconds(),
		'webhook-signature': signature(),
	});
	const before = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,Ceo5qEr07ixe2NLpvHk3FH9bwy=';

	const several: Array<[string, () => string]> = [
		['after others', () => `${before} ${signature()}`],
		['before others', () => `${signature()} ${before}`],
		['in the first of two headers, which Node.js joins', () => `${signature()}, ${before}`],
		[
			'of the new secret after that of the old one',
			() => `${signature(otherSecret)} ${signature()}`,
		],
	];

	test.each(several)('accepts a valid signature %s', async (_, given) => {
		const headers = { ...right(), 'webhook-signature': given() };
		expect((await triggers.deliver(await active(parameters), body, headers)).status).toBe(200);
	});

	/** Headers with another signature, and headers with a signature made at another time. */
	const withSignature = (given: string) => ({ ...right(), 'webhook-signature': given });
	const signedAt = (offset: number) => ({
		...withSignature(signature(secret, Date.now() + offset * 1_000)),
		'webhook-timestamp': seconds(offset),
	});

	test.each<[string, () => Record<string, string>]>([
		['no ID', () => omit(right(), 'webhook-id')],
		[
			'an empty ID, even if it is signed',
			() => {
				const sign = new Webhook(secret).sign('', new Date(), body);
				return { ...withSignature(sign), 'webhook-id': '' };
			},
		],
		['no timestamp', () => omit(right(), 'webhook-timestamp')],
		['no signature', () => omit(right(), 'webhook-signature')],
		['an invalid timestamp', () => ({ ...right(), 'webhook-timestamp': 'hello' })],
		['an invalid signature', () => withSignature('v1,dGhpcyBpcyBmYWtl')],
		['an empty signature', () => withSignature('v1,')],
		['a signature without version', () => withSignature(signature().slice(3))],
		['a signature of another version', () => withSignature(signature().replace('v1', 'v2'))],
		['half a signature', () => withSignature(signature().slice(0, 24))],
		['a timestamp that is too old', () => signedAt(-301)],
		['a timestamp that is too new', () => signedAt(302)],
	])('refuses %s', async (_, headers) => {
		const trigger = await active(parameters);
		expect((await triggers.deliver(trigger, body, headers())).status).toBe(401);
		expect(trigger.executions).toEqual([]);
	});

	test('gives the signature of the documented example, with and without the prefix', () => {
		const headers = {
			'webhook-id': id,
			'webhook-timestamp': '1614265330',
			'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
		};
		const delivery = { headers, rawBody: Buffer.from('{"test": 2432232314}') };
		for (const one of [secret, secret.slice('whsec_'.length)])
			expect(isSigned(settings, one, delivery, 1_614_265_330_000)).toBe(true);
	});

	const unusable = [
		...['whsec_', '!!!!', 'whsec_====', '====', '我的秘密是龙', ' ', '__'],
		...[
			`${secret.slice(0, -1)}!`,
			`${secret}A`,
			secret.replace('_', '-'),
			secret.replace('9', ' '),
		],
		...['correct horse battery staple', secret.replace('whsec', 'whpk'), 'whsec_QR=='],
	];

	test.each(unusable)('cannot be published with the secret %j', async (given) => {
		const credentials = service.credentials({ webhookSecret: given });
		const trigger = await triggers.make({ parameters, credentials });
		await expect(trigger.activate()).rejects.toThrow(
			/'Webhook Secret' of the credential is (empty|not a secret of Standard Webhooks\. .*base64)/,
		);
		expect(service.sandbox.state.webhooks.all).toEqual([]);
	});

	test.each(unusable)(
		'after the secret was changed to %j, no delivery is accepted that is signed with the bytes that Node.js decodes from this text',
		async (given) => {
			const credentials = service.credentials({ webhookSecret: secret });
			const trigger = await triggers.active({ parameters, credentials });
			credentials.webhookSecret = given;
			const rest = Buffer.from(given.replace('whsec_', ''), 'base64');
			const time = seconds();
			const sign = hmac(rest, `${id}.${time}.${body}`).digest('base64');
			const headers = { ...withSignature(`v1,${sign}`), 'webhook-timestamp': time };
			expect((await triggers.deliver(trigger, body, headers)).status).toBe(401);
			expect(trigger.executions).toEqual([]);
		},
	);
});

describe('no secret at all', () => {
	const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
	const numRuns = 1_000;
	const encoded = fc.base64String({ maxLength: 60 });
	const anyText = fc.oneof(
		fc.string({ unit: 'binary', maxLength: 50 }),
		fc.string({ unit: 'grapheme', maxLength: 50 }),
		fc.constantFrom('', 'whsec_', '=', '====', '!!!!', ' ', '\n'),
		encoded,
		fc.tuple(encoded, fc.string({ maxLength: 3 }), encoded).map((parts) => parts.join('')),
		encoded.map((text) => text.replace(/=+$/, '')),
	);
	const prefixes = fc.constantFrom('', 'whsec_');
	const secrets = fc.tuple(prefixes, anyText).map((parts) => parts.join(''));
	const standard: SignatureSettings = { scheme: 'standardWebhooks', header: '' };
	/** The signature by the library; undefined for a secret that the library refuses. */
	const ofLibrary = (given: string) => {
		try {
			return new Webhook(given).sign('msg_1', new Date(1_614_265_330_000), body).slice(3);
		} catch {
			return undefined;
		}
	};

	test(`gives a key for Standard Webhooks that lacks a digit, or that differs from the library's key (TEST_SEED=${seed})`, () => {
		const property = fc.property(secrets, (given) => {
			const key = signingKey(standard, given);
			if (!key) return;
			const digits = given
				.trim()
				.replace(/^whsec_/, '')
				.replace(/=+$/, '');
			expect(key.length).toBe(Math.floor((digits.length * 6) / 8));
			expect(key.length).toBeGreaterThan(0);
			const padded = digits.padEnd(Math.ceil(digits.length / 4) * 4, '=');
			expect(hmac(key, `msg_1.1614265330.${body}`).digest('base64')).toBe(ofLibrary(padded));
		});
		fc.assert(property, { seed, numRuns });
	});

	test(`that an encoder has made is refused (TEST_SEED=${seed})`, () => {
		const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
		const property = fc.property(prefixes, bytes, (prefix, given) => {
			const written = prefix + Buffer.from(given).toString('base64');
			expect(signingKey(standard, written)).toEqual(Buffer.from(given));
		});
		fc.assert(property, { seed, numRuns });
	});

	test(`gives an HMAC key that is shorter than the secret (TEST_SEED=${seed})`, () => {
		const property = fc.property(secrets, (given) => {
			const key = signingKey({ scheme: 'sha256-hex', header: 'X' }, given);
			if (given.trim() === '') expect(key).toBeUndefined();
			else expect(key?.length).toBeGreaterThanOrEqual(given.length);
		});
		fc.assert(property, { seed, numRuns });
	});
});

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
])('with a limit of 10 KB, responds with %d to %d characters', async (status, length) => {
	const trigger = await triggers.active({ parameters: { options: { maxPayloadSize: 10 } } });
	const answer = await triggers.deliver(trigger, received({ text: 'x'.repeat(length) }));
	expect([answer.status, trigger.executions.length]).toEqual([status, status === 200 ? 1 : 0]);
});

describe('hostile deliveries', () => {
	const count = 300;
	const atOnce = 20;
	const seed = Number(process.env.TEST_SEED ?? 1);

	const event = (data: Record<string, unknown>) => JSON.stringify(received(data));
	const replayed = event({ id: 'replayed' });
	const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
	const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
	const depths = fc.constantFrom(101, 20_000);

	/** Bodies of deliveries with the valid secret. */
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
			.constantFrom('message.read', 'ORDER.RECEIVED', 'order.received\u0000', '__proto__')
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

	/** A body, and a changed form of the registered URL to which it is delivered. */
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
