/** What people learn who may only see one workflow, its executions, its export or n8n's log. */
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { People, anna, berta, until } from '../reply/support';
import { useService } from '../support/service';
import { Triggers, received } from '../trigger/support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const logged: string[] = [];

beforeAll(() => {
	const node = service.engine.loaded.node('businessMessagingTrigger');
	const webhook = Reflect.get(node, 'webhook') as (
		this: IWebhookFunctions,
	) => Promise<IWebhookResponseData>;
	node.webhook = async function (this: IWebhookFunctions) {
		for (const level of ['error', 'warn', 'info', 'debug'] as const)
			jest
				.spyOn(this.logger, level)
				.mockImplementation((...words) => void logged.push(JSON.stringify(words)));
		return await webhook.call(this);
	};
});
beforeEach(() => void logged.splice(0));

const secret = 'The blue house at the river';
const secretsOf = (trigger: Parameters<Triggers['urlOf']>[0]) => [
	...new URL(triggers.urlOf(trigger)).searchParams.values(),
];

/** None of them stands in a text, whichever way it is written there. */
function expectNone(text: string, words: string[]): void {
	expect(words.length).toBeGreaterThan(0);
	for (const word of words) {
		const forms = [word, encodeURIComponent(word), Buffer.from(word).toString('base64')];
		for (const form of forms) expect(text).not.toContain(form);
	}
}

test("an export of the inbox's workflow tells nothing of the questions of other workflows", async () => {
	const trigger = await triggers.active({ webhookId: 'export' });
	const execution = await people.ask([anna, berta], { message: `${secret}?` });
	await people.write(anna, `${secret}!`);
	const exported = JSON.stringify(trigger.staticData);
	expect(exported).toContain('inbox of');
	expectNone(exported, [secret, anna, berta, anna.slice(1), service.sandbox.key, 'signature=']);
	await people.write(berta, 'No');
	await until('the answers', () => execution.outputs);
});

test.each([true, false])(
	"executions of the trigger hold nothing of the URL's secret or of headers (simplified: %s)",
	async (simplify) => {
		const trigger = await triggers.active({ webhookId: 'items', parameters: { simplify } });
		const headers = { authorization: 'Bearer of the caller', 'x-own': 'of the caller' };
		await triggers.deliver(trigger, received(), headers);
		expect(trigger.executions).toHaveLength(1);
		const items = JSON.stringify(trigger.executions);
		expectNone(items, [...secretsOf(trigger), 'of the caller', service.sandbox.key]);
	},
);

test("n8n's log at debug level holds no key, secret, number or text, whatever comes in", async () => {
	const trigger = await triggers.active({ webhookId: 'log' });
	const execution = await people.ask([anna, berta], { responseType: 'approval' });
	await service.fault({ endpoint: 'sendText', status: 500, body: { message: secret } });
	await people.write(anna, secret);
	await people.write(berta, 'yes');
	for (const body of [received({ text: secret }), `{"data":"${secret}"`, { event: secret }])
		for (const url of [undefined, `${trigger.url}?token=${secret}`])
			await triggers.deliver(trigger, body, { authorization: secret }, url);
	const otherKey = service.credentials(service.newKey());
	const changed = await triggers.active({
		...{ webhookId: 'log-2', credentials: otherKey, staticData: trigger.staticData },
	});
	await triggers.deliver(changed, received({ text: secret }));
	expect(logged).not.toEqual([]);
	const words = [secret, anna, berta, service.sandbox.key, String(otherKey.apiKey)];
	expectNone(logged.join('\n'), [...words, ...secretsOf(trigger), ...secretsOf(changed)]);
	await people.write(anna, 'yes');
	await until('the answers', () => execution.outputs);
});
