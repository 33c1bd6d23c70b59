/** Who may start the workflow: signatures in all forms, the secret of a URL registered by hand, the size of bodies, and hostile deliveries. */
import fc from 'fast-check';
import { chunk, mapValues, omit, uniq } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { signatureHeaders, signingSchema } from '../../sandbox/signing';
import { customer, received, Triggers, useService } from '../support/service';
import { until } from '../../tools/until';

const service = useService({ deliveryAttempts: 1 });
const triggers = new Triggers(service);

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const otherSecret = 'whsec_bm90aGluZw==';
const body = JSON.stringify(received());

const signed = (values: INodeParameters): INodeParameters => ({
	options: { signature: { values } },
});
const active = async (parameters: INodeParameters) =>
	await triggers.active({
		parameters,
		credentials: service.credentials({ webhookSecret: secret }),
	});

type Signing = Omit<(typeof signingSchema)['_input'], 'secret'>;
/** The headers of the body, signed by the sandbox. */
const sign = (signing: Signing, key = secret, secondsAgo = 0) => {
	const time = new Date(Date.now() - secondsAgo * 1_000);
	return signatureHeaders(signingSchema.parse({ ...signing, secret: key }), body, time);
};
const standard = { scheme: 'standardWebhooks' as const };
const prefixed = { header: 'X-Hub-Signature-256', prefix: 'sha256=' };
const timed = { header: 'X-Own', prefix: 'v=', timestampHeader: 'X-Time' };

test.each<[form: string, settings: INodeParameters, signing: Signing]>([
	['Standard Webhooks', standard, standard],
	['HMAC with a prefix', prefixed, prefixed],
	[
		'HMAC with another algorithm, encoding and a time',
		{ ...timed, scheme: 'sha512-base64' },
		{ ...timed, algorithm: 'sha512', encoding: 'base64' },
	],
])('takes %s, and nothing that was touched', async (_, settings, signing) => {
	const trigger = await active(signed(settings));
	const right = sign(signing);
	const touched: Array<[text: string, headers: Record<string, string>]> = [
		[body.replace(customer, '+15550006666'), right],
		[`${body} `, right],
		[body, sign(signing, otherSecret)],
		[body, mapValues(right, (value) => value.slice(0, -4))],
	];
	for (const header of Object.keys(right)) touched.push([body, omit(right, header)]);
	const timeHeader = Object.keys(right).find((header) => /time/i.test(header));
	if (timeHeader) {
		for (const secondsAgo of [-400, 400]) touched.push([body, sign(signing, secret, secondsAgo)]);
		const { [timeHeader]: earlier } = sign(signing, secret, 10);
		touched.push([body, { ...right, [timeHeader]: earlier }]);
	}
	for (const [text, headers] of touched)
		expect((await triggers.deliver(trigger, text, headers)).status).toBe(401);
	expect(trigger.executions).toEqual([]);
	expect((await triggers.deliver(trigger, body, right)).status).toBe(200);

	const { state } = service.sandbox;
	state.deliveries.signing = signingSchema.parse({ ...signing, secret });
	const { deliveries } = state.traffic.receive({ from: customer, text: 'Signed' });
	await until('the delivery', () => deliveries[0].state !== 'pending');
	expect(deliveries[0].attempts[0].status).toBe(200);
	expect(trigger.executions).toHaveLength(2);
});

test('takes one of several signatures, while a service changes its secret', async () => {
	const trigger = await active(signed(standard));
	const [right, other] = [secret, otherSecret].map((key) => sign(standard, key));
	const signatures = `v1a,bm90aGluZw== ${other['webhook-signature']} ${right['webhook-signature']}`;
	const headers = { ...right, 'webhook-signature': signatures };
	expect((await triggers.deliver(trigger, body, headers)).status).toBe(200);
});

test('a signature does not replace the secret of the URL, and neither is handed on', async () => {
	const trigger = await active({ ...signed({}), simplify: false });
	const headers = sign({});
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
