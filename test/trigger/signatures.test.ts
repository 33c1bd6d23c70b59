/** Who may start the workflow: signatures in all forms, the secret of a URL registered by hand, and the size of bodies. */
import { createHmac } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../support/service';
import type { Trigger } from '../support/trigger';
import { Triggers, received } from './support';

const service = useService();
const triggers = new Triggers(service);

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = JSON.stringify(received());
const seconds = (offset = 0) => String(Math.floor(Date.now() / 1000) + offset);

/** A way to sign: the trigger's parameters, and the headers of a body signed at a time. */
interface Form {
	parameters: INodeParameters;
	sign: (text: string, key: string, time: string) => Record<string, string>;
	hasTime: boolean;
}

const hmac = (key: string | Buffer, text: string, algorithm = 'sha256') =>
	createHmac(algorithm, key).update(text);

const forms: Record<string, Form> = {
	'Standard Webhooks': {
		parameters: { signature: 'standardWebhooks' },
		sign: (text, key, time) => ({
			'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
			'webhook-timestamp': time,
			'webhook-signature': `v1a,bm90aGluZw== v1,bm90aGluZw== v1,${hmac(Buffer.from(key.slice('whsec_'.length), 'base64'), `msg_p5jXN8AQM9LWM0D4loKWxJek.${time}.${text}`).digest('base64')}`,
		}),
		hasTime: true,
	},
	'time and digest': {
		parameters: { signature: 'timestamped' },
		sign: (text, key, time) => ({
			'X-Signature': `t=${time},v0=00,v1=00,v1=${hmac(key, `${time}.${text}`).digest('hex')}`,
		}),
		hasTime: true,
	},
	'a prefixed digest': {
		parameters: {
			signature: 'custom',
			signatureHeader: 'X-Hub-Signature-256',
			signatureOptions: { prefix: 'sha256=' },
		},
		sign: (text, key) => ({ 'X-Hub-Signature-256': `sha256=${hmac(key, text).digest('hex')}` }),
		hasTime: false,
	},
	'a hex digest': {
		parameters: { signature: 'custom', signatureHeader: 'X-Digest' },
		sign: (text, key) => ({ 'X-Digest': hmac(key, text).digest('hex').toUpperCase() }),
		hasTime: false,
	},
	'a form of its own': {
		parameters: {
			signature: 'custom',
			signatureHeader: 'X-Own',
			signatureOptions: {
				algorithm: 'sha512',
				encoding: 'base64',
				prefix: 'v=',
				timestampHeader: 'X-Time',
			},
		},
		sign: (text, key, time) => ({
			'X-Time': time,
			'X-Own': `v=${hmac(key, `${time}.${text}`, 'sha512').digest('base64')}`,
		}),
		hasTime: true,
	},
};

const table = Object.entries(forms);
const credentials = () => service.credentials({ webhookSecret: secret });
const active = async (parameters: INodeParameters) =>
	await triggers.active({ parameters, credentials: credentials() });

async function statusOf(
	trigger: Trigger,
	text: string,
	headers: Record<string, string>,
): Promise<number> {
	const { status } = await triggers.deliver(trigger, text, headers);
	expect(trigger.executions).toHaveLength(status === 200 ? 1 : 0);
	return status;
}

test.each(table)('takes a delivery signed with %s', async (_, { parameters, sign }) => {
	expect(await statusOf(await active(parameters), body, sign(body, secret, seconds()))).toBe(200);
});

test.each(table.filter(([, { hasTime }]) => hasTime))(
	'refuses an old or a future time in %s',
	async (_, { parameters, sign }) => {
		for (const time of [seconds(-400), seconds(400), 'yesterday', '']) {
			expect(await statusOf(await active(parameters), body, sign(body, secret, time))).toBe(401);
		}
	},
);

test('demands the secret of the URL as well', async () => {
	const trigger = await active({ signature: 'custom' });
	const answer = await triggers.deliver(
		trigger,
		body,
		{ 'X-Signature': hmac(secret, body).digest('hex') },
		trigger.url,
	);
	expect(answer.status).toBe(401);
});

test.each([{ signature: 'custom' }, { registration: 'manual', requireSecret: true }])(
	'cannot be activated with %j without a Webhook Secret',
	async (parameters) => {
		const trigger = await triggers.make({ parameters });
		await expect(trigger.activate()).rejects.toThrow("'Webhook Secret' of the credential is empty");
	},
);

test('takes the secret of a URL registered by hand, in the URL or in a header', async () => {
	const trigger = await active({
		registration: 'manual',
		requireSecret: true,
		options: { allowDuplicateEvents: true },
	});
	const status = async (query: string, headers = {}) =>
		(await triggers.deliver(trigger, body, headers, trigger.url + query)).status;
	expect(await status(`?token=${secret}`)).toBe(200);
	expect(await status('', { 'X-Webhook-Token': secret })).toBe(200);
	expect(await status('')).toBe(401);
	expect(await status('?token=')).toBe(401);
	expect(await status('?token=wrong', { 'X-Webhook-Token': secret })).toBe(401);
	expect(trigger.executions).toHaveLength(2);
});

test('refuses a body that is too large', async () => {
	const trigger = await triggers.active({ parameters: { options: { maxPayloadSize: 10 } } });
	expect(await statusOf(trigger, JSON.stringify(received({ text: 'x'.repeat(11_000) })), {})).toBe(
		413,
	);
	expect(await statusOf(trigger, JSON.stringify(received({ text: 'x'.repeat(9_000) })), {})).toBe(
		200,
	);
});

test('never hands on a secret', async () => {
	const trigger = await active({ signature: 'custom', simplify: false });
	await triggers.deliver(trigger, body, { 'X-Signature': hmac(secret, body).digest('hex') });
	expect(trigger.executions).toHaveLength(1);
	expect(JSON.stringify(trigger.executions)).not.toContain(secret);
});
