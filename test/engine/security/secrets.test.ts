/** The secrets in registered URLs, how they are compared, and what can be learned by people who may see only one part. */
import crypto from 'node:crypto';

import { seal, unseal } from '../../../nodes/BusinessMessaging/inbox/seal';
import { withoutSecrets } from '../../../nodes/BusinessMessaging/transport/secrets';
import { until } from '../../../harness/until';
import { People, anna, berta } from '../reply/support';
import { received, Triggers, useLog, useService } from '../../../harness/engine/service';

const service = useService();
const triggers = new Triggers(service);
const question = {
	resource: 'message',
	operation: 'sendAndWait',
	to: '+15550001001',
	message: 'Tuesday?',
};

describe('the secrets in registered URLs', () => {
	/** Registers the URL of the trigger that keeps replies, and that of another one. */
	async function registerBoth(): Promise<string[]> {
		await triggers.active({ webhookId: 'a', parameters: { keepReplies: true } });
		await triggers.active({ webhookId: 'b' });
		const secrets = service.sandbox.state.webhooks.all.flatMap(({ url }) => [
			...new URL(url).searchParams.values(),
		]);
		expect(secrets).toHaveLength(2);
		return secrets;
	}

	test("are neither in the editor's list nor in the items of Get Many, in whatever field the URL is", async () => {
		const secrets = await registerBoth();
		const editor = service.engine.editor({ credentials: service.credentials() });
		const { results } = await editor.listSearch('searchWebhooks');
		expect(results.map(({ name }) => name)).toEqual([
			expect.stringMatching(/inbox=… · /),
			expect.stringMatching(/token=… · /),
		]);
		const get = { resource: 'webhook', operation: 'getAll', returnAll: true };
		const listed = async () => (await service.run({ parameters: get })).outputs[0];
		const usual = await listed();
		expect(usual).toHaveLength(2);
		const [url, another] = service.sandbox.state.webhooks.all.map((webhook) => webhook.url);
		const record = {
			id: 'w1',
			callback: { url, history: [{ from: another }, [url, `see ${another}`]] },
			byUrl: { [url]: 'active' },
			redirect: `https://example.com/?to=${encodeURIComponent(url)}`,
		};
		const body = { data: [record] };
		service.fault({ endpoint: 'listWebhooks', status: 200, body, count: 20 });
		const nested = await listed();
		expect(JSON.stringify(nested)).toContain('history');
		for (const secret of secrets)
			expect(JSON.stringify([results, usual, nested])).not.toContain(secret);
	});

	test('are not in errors that quote them', async () => {
		const secrets = await registerBoth();
		const message = service.sandbox.state.webhooks.all.map(({ url }) => `Not ${url}`).join(' ');
		service.fault({ endpoint: 'deleteWebhook', status: 403, body: { message } });
		const { error } = await service.run({
			parameters: { resource: 'webhook', operation: 'delete', webhookId: 'w1' },
		});
		expect(error?.message).toContain('Not http');
		for (const secret of secrets) expect(error?.message).not.toContain(secret);
	});

	test('are not stored by a waiting execution', async () => {
		const secrets = await registerBoth();
		const [{ url }] = service.sandbox.state.webhooks.all;
		const run = await service.run({ parameters: question, baseUrl: new URL(url).origin });
		expect(run.status).toBe('waiting');
		const stored = JSON.stringify([run.context, run.outputs, run.hints]);
		for (const secret of secrets) expect(stored).not.toContain(secret);
	});
});

test('data that Send and Wait has encrypted can be decrypted only with the same service and key, and only if it is unchanged', () => {
	const content = { to: '+15550001111', text: 'Grüße 👍' };
	const sealed = seal(service.id(), JSON.stringify(content));
	expect(unseal(service.id(), sealed)).toBe(JSON.stringify(content));
	const again = seal(service.id(), JSON.stringify(content));
	expect(again.slice(38)).not.toBe(sealed.slice(38)); // equal contents give different texts
	const others = [service.id({ apiKey: 'another-key' }), service.id({ baseUrl: 'https://a.test' })];
	for (const other of others) expect(unseal(other, sealed)).toBeUndefined();
	for (const other of [sealed.slice(0, -4), '', 'hello', null, 7, [sealed]])
		expect(unseal(service.id(), other)).toBeUndefined();
	const bytes = Buffer.from(sealed, 'base64url');
	for (let at = 0; at < bytes.length; at++) {
		const changed = Buffer.from(bytes);
		changed[at] ^= 1;
		expect(unseal(service.id(), changed.toString('base64url'))).toBeUndefined();
	}
});

test('secrets are compared by hashes of one length, in constant time', async () => {
	const compare = jest.spyOn(crypto, 'timingSafeEqual');
	const trigger = await triggers.active();
	const url = `${trigger.url}?token=wrong`;
	const { status } = await triggers.deliver(trigger, received(), {}, url);
	const lengths = compare.mock.calls.map(([one, two]) => [one.byteLength, two.byteLength]);
	compare.mockRestore();
	expect(status).toBe(401);
	expect(lengths).toContainEqual([32, 32]);
});

describe('the secrets in a list of webhooks', () => {
	const url = 'https://example.com/hook?';
	const fields: Array<[object, unknown]> = [
		...['secret', 'signing_key', 'signingKey', 'signing_secret', 'webhookSecret', 'Secret'],
		...['verify_token', 'auth_token', 'apiKey', 'password', 'Authorization'],
	].flatMap(
		(name): Array<[object, unknown]> => [
			[{ [name]: 'whsec_hidden' }, { [name]: '…' }],
			[{ auth: { [name]: { value: ['hidden'] } } }, { auth: { [name]: { value: ['…'] } } }],
		],
	);
	const parameters = [
		'secret',
		'access_token',
		'client_secret',
		'verify-token',
		'api_key',
		'apikey',
	];
	const urls = [
		...parameters,
		'token',
		'inbox',
		'wait',
		'signature',
		'X-Amz-Signature',
		'sig',
		'hub.token',
	]
		.flatMap((name) => [`${name}=`, `a=1&${name}=`])
		.flatMap(
			(start): Array<[object, unknown]> => [
				[{ url: `${url}${start}hidden&b=2` }, { url: `${url}${start}…&b=2` }],
				[
					{ to: encodeURIComponent(`${url}${start}hidden`) },
					{ to: `${encodeURIComponent(`${url}${start}`)}…` },
				],
			],
		);
	async function listed(record: object) {
		const body = { data: [record] };
		service.fault({ endpoint: 'listWebhooks', status: 200, body, count: 20 });
		const get = { resource: 'webhook', operation: 'getAll', returnAll: true };
		const { outputs } = await service.run({ parameters: get });
		return outputs[0].map(({ json }) => json);
	}

	test.each([...fields, ...urls])('%j comes out as %j', async (record, shown) => {
		expect(await listed(record)).toEqual([shown]);
	});

	test.each([
		{ secret: '', has_secret: true, secretVersion: 2, token_type: 'bearer' },
		{ url: `${url}page=2&tokens=3&await=4&design=5`, events: ['token.created', 'secret'] },
	])('do not hide anything else: %j', async (record) => {
		expect(await listed(record)).toEqual([record]);
	});

	test('do not keep the user of Create from the new signing secret', async () => {
		const body = { id: 'w1', secret: 'whsec_new' };
		service.fault({ endpoint: 'createWebhook', status: 201, body });
		const create = { resource: 'webhook', operation: 'create', url, events: ['message.received'] };
		const { outputs } = await service.run({ parameters: create });
		expect(outputs[0][0].json).toEqual(body);
	});

	test.each(['a-', 'token', '%3F', 'a_', '-'])(
		'are searched for in one pass: even a million of %j takes no time to speak of',
		(part) => {
			const text = part.repeat(1_000_000);
			expect(withoutSecrets(text) === text).toBe(true);
		},
	);
});

describe('a person who may see one workflow, its executions, its export or n8n’s log', () => {
	const people = new People(service);
	const logged = useLog(service, 'businessMessagingTrigger', 'webhook');

	const secret = 'The blue house at the river';
	const secretsOf = (trigger: Parameters<Triggers['urlOf']>[0]) => [
		...new URL(triggers.urlOf(trigger)).searchParams.values(),
	];

	/** Checks that no secret appears in a text, in any encoding. */
	function expectNone(text: string, words: string[]): void {
		expect(words.length).toBeGreaterThan(0);
		for (const word of words) {
			const forms = [word, encodeURIComponent(word), Buffer.from(word).toString('base64')];
			for (const form of forms) expect(text).not.toContain(form);
		}
	}

	test("learns nothing about the questions of other workflows from an export of the inbox's workflow", async () => {
		const trigger = await triggers.active({
			webhookId: 'export',
			parameters: { keepReplies: true },
		});
		const execution = await people.ask([anna, berta], { message: `${secret}?` });
		await people.write(anna, `${secret}!`);
		const exported = JSON.stringify(trigger.staticData);
		expect(exported).toContain('inbox of');
		expectNone(exported, [secret, anna, berta, anna.slice(1), service.sandbox.key, 'signature=']);
		await people.write(berta, 'No');
		await until('the answers', () => execution.outputs);
	});

	test.each([true, false])(
		"finds neither the URL's secret nor headers in executions of the trigger (simplified: %s)",
		async (simplify) => {
			const trigger = await triggers.active({ webhookId: 'items', parameters: { simplify } });
			const headers = { authorization: 'Bearer of the caller', 'x-own': 'of the caller' };
			await triggers.deliver(trigger, received(), headers);
			expect(trigger.executions).toHaveLength(1);
			const items = JSON.stringify(trigger.executions);
			expectNone(items, [...secretsOf(trigger), 'of the caller', service.sandbox.key]);
		},
	);

	test("finds no key, secret, number or text in n8n's log at debug level, whatever is delivered", async () => {
		const trigger = await triggers.active({ webhookId: 'log', parameters: { keepReplies: true } });
		const execution = await people.ask([anna, berta], { responseType: 'approval' });
		service.fault({ endpoint: 'sendText', status: 500, body: { message: secret } });
		await people.write(anna, secret);
		await people.write(berta, 'yes');
		for (const body of [received({ text: secret }), `{"data":"${secret}"`, { event: secret }])
			for (const url of [undefined, `${trigger.url}?token=${secret}`])
				await triggers.deliver(trigger, body, { authorization: secret }, url);
		const staticData = structuredClone(trigger.staticData);
		const secrets = secretsOf(trigger);
		await people.write(anna, 'yes');
		await until('the answers', () => execution.outputs);
		await trigger.deactivate();
		// n8n starts again with what was stored before the answers, and with another key.
		const otherKey = service.credentials(service.newKey());
		const changed = await triggers.make({
			...{ webhookId: 'log-2', credentials: otherKey, staticData },
			parameters: { keepReplies: true },
		});
		await changed.activate('init');
		await triggers.deliver(changed, received({ text: secret }));
		expect(logged).not.toEqual([]);
		const words = [secret, anna, berta, service.sandbox.key, String(otherKey.apiKey)];
		expectNone(logged.join('\n'), [...words, ...secrets, ...secretsOf(changed)]);
	});
});
