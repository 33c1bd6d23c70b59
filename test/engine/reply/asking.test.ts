/** Asking, in n8n's engine: who receives the replies, before and after the questions are sent. */
import { range } from 'lodash';
import { ExecuteContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';

import type { Item } from '../../../nodes/BusinessMessaging/execution/item';
import { listenForReplies } from '../../../nodes/BusinessMessaging/inbox/ask';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { Triggers, useService } from '../../../harness/engine/service';
import { welcomeParameters } from '../../../harness/engine/templates';

const service = useService();
const triggers = new Triggers(service);
const inbox = async (more: object = {}) =>
	await triggers.active({ webhookId: 'asking', parameters: { keepReplies: true }, ...more });
const question: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	to: '=+1555000{{ 1000 + $json.n }}',
	message: 'Tuesday?',
};
const refused = { status: 422, body: { message: 'no' } };
/** The address at which n8n's engine listens. */
const baseUrl = async () => new URL((await triggers.make()).url).origin;
const ask = async (parameters: INodeParameters = {}, more: object = {}) =>
	await service.run({
		parameters: { ...question, ...parameters },
		...{ items: [{ n: 1 }], baseUrl: await baseUrl(), ...more },
	});

test('asks nobody without an inbox, and says what to do', async () => {
	await triggers.active({ webhookId: 'another' });
	const { error } = await ask();
	expect(error).toMatchObject({
		message: 'No published workflow keeps the replies [item 0]',
		description: expect.stringMatching(
			/import the example Inbox .*Nothing was sent for this item\./,
		),
	});
	expect(service.sent()).toEqual([]);
});

test('a second inbox cannot be published; if there is one, nobody is asked. Both errors name the workflows', async () => {
	const first = await inbox({ workflowId: 'Inbox A' });
	const second = { webhookId: 'second', workflowId: 'Inbox B', parameters: { keepReplies: true } };
	const refusal =
		'Another workflow keeps the replies for Send and Wait already: "Inbox A". Only one can, so this workflow starts nothing now. Switch off \'Keep Replies for Send and Wait\' in its trigger and publish it again. Or, to keep the replies here, unpublish the other workflow first. If you do neither, unpublish this one: it may start when n8n restarts';
	const refused = await triggers.make(second);
	await expect(refused.activate()).rejects.toThrow(refusal);
	await expect(refused.activate('init')).rejects.toThrow(refusal);
	await first.deactivate();
	const other = await triggers.active(second);
	service.sandbox.state.webhooks.create({
		url: `${first.url}?inbox=${'a'.repeat(43)}`,
		events: ['message.received'],
	});
	const { error: alone } = await ask({}, { items: [] });
	expect(alone).toBeUndefined();
	expect((await ask()).status).toBe('waiting'); // the first one is only left behind at the service
	await first.activate('init');
	const { error } = await ask({ to: '+15550009000' });
	expect(error?.message).toMatch(
		/Several workflows keep the replies: "Inbox [AB]" and "Inbox [AB]"/,
	);
	expect(error?.description).toContain("Switch off 'Keep Replies for Send and Wait'");
	expect(service.sent()).toHaveLength(1);
	await other.deactivate();
});

test('who has written STOP to an earlier question is not asked by the next ones', async () => {
	await inbox();
	const both = await ask({}, { items: [{ n: 1, optedOut: true }, { n: 2 }] });
	expect(both.status).toBe('waiting');
	expect(service.sent()).toMatchObject([{ phone: '+15550001002' }]);
	const { outputs } = await ask({}, { items: [{ n: 1, optedOut: true }] });
	const [{ json }] = outputs[0];
	const skipped = { sendStatus: 'skipped', reason: 'optedOut', optedOut: true };
	expect(json).toMatchObject({ from: '+15550001001', replied: false, ...skipped });
	await ask({ to: '={{ $json.from }}' }, { items: [json] });
	expect(service.sent()).toHaveLength(1);
});

test.each([
	['another address of the service', (url: string) => url.replace('127.0.0.1', 'localhost')],
	['a slash at the end', (url: string) => `${url}/`],
])('finds the inbox also with %s in the credential', async (_, write) => {
	await inbox({ webhookId: 'spelled' });
	const credentials = service.credentials({ baseUrl: write(service.url) });
	expect((await ask({}, { credentials })).status).toBe('waiting');
});

test('asks nobody with another API key than that of the inbox', async () => {
	await inbox({ webhookId: 'keyed' });
	const { error } = await ask({}, { credentials: service.credentials(service.newKey()) });
	expect(error?.message).toBe(
		"The workflow with 'Keep Replies for Send and Wait' uses another API key [item 0]",
	);
	expect(service.sent()).toEqual([]);
});

test('asks nobody while another trigger of this n8n has another API key, so that replies would start its workflow', async () => {
	const credentials = service.credentials(service.newKey());
	const other = await triggers.active({ webhookId: 'other-key', credentials });
	await (
		await triggers.make({ webhookId: 'keyed', parameters: { keepReplies: true } })
	).activate(
		'init', // when n8n starts, triggers do not look at each other
	);
	const { error } = await ask();
	expect(error).toMatchObject({
		message: expect.stringContaining('uses another API key of the same account'),
		description: expect.stringContaining(other.url),
	});
	expect(service.sent()).toEqual([]);
});

test('asks nobody if the service hides the addresses of its webhooks', async () => {
	service.showWebhooks(() => undefined);
	service.sandbox.state.webhooks.create({ url: 'https://example.com/', events: [] });
	const { error } = await ask();
	expect(error?.message).toContain('does not show the complete addresses of its webhooks');
	expect(service.sent()).toEqual([]);
});

test('refuses to ask more than 10,000 people', async () => {
	const rules = { question: { ...defaultAnswer(), limitMs: 60_000 } };
	const items = range(10_001).map((index): Item => {
		const to = `+1555${1_000_000 + index}`;
		return { index, input: {}, request: { body: { to, text: 'Tuesday?' }, rules } };
	});
	const context = {
		getCredentials: async () => service.credentials(),
		getExecutionCancelSignal: () => undefined,
		getExecutionId: () => '1',
		getNode: () => ({ name: 'Ask' }),
		getSignedResumeUrl: () => 'https://n8n.example.com/webhook-waiting/1?signature=a',
		getWorkflow: () => ({ name: 'Ask' }),
		logger: { info: () => {} },
		helpers: {
			httpRequestWithAuthentication: async () => ({ statusCode: 401, headers: {}, body: '' }),
		},
	};
	const listen = async (count: number) =>
		await listenForReplies(context as never, items.slice(0, count));
	await expect(listen(10_001)).rejects.toThrow('asks 10001 people; the maximum is 10000');
	await expect(listen(10_000)).rejects.toThrow('(HTTP 401)'); // the first request is made
});

test.each(['businessMessaging', 'businessMessagingHitlTool'])(
	'%s asks the same person the same question in each round of an execution',
	async (type) => {
		await inbox();
		const options = {
			parameters: question,
			baseUrl: await baseUrl(),
			items: [{ n: 1 }, { n: 1 }],
			...{ batchSize: 1, settings: { type: `n8n-nodes-business-messaging.${type}` } },
		};
		const first = await service.run(options);
		expect(first.status).toBe('waiting');
		await service.engine.retry(first, {
			credentials: service.credentials(),
			baseUrl: await baseUrl(),
		});
		expect(service.sent()).toHaveLength(2);
	},
);

test('a tool that an agent runs itself does not ask again if the first question may have been sent', async () => {
	const contexts: { isToolExecution?: () => boolean } = ExecuteContext.prototype;
	contexts.isToolExecution ??= () => false; // older versions of n8n have no such method
	jest.spyOn(contexts as Required<typeof contexts>, 'isToolExecution').mockReturnValue(true);
	await inbox();
	service.fault({ endpoint: 'sendText', reset: 'afterRead' });
	const { rounds } = await service.run({
		parameters: question,
		baseUrl: await baseUrl(),
		items: [{ n: 1 }, { n: 1 }], // n8n counts each attempt as a run
		...{ batchSize: 1, onError: 'continueRegularOutput' },
		settings: { type: 'n8n-nodes-business-messaging.businessMessagingTool' },
	});
	const statuses = rounds.map(([[{ json }]]) => json.sendStatus);
	expect(statuses).toEqual(['mayHaveBeenSent', 'mayHaveBeenSent']);
	expect(service.sent()).toHaveLength(1);
});

test("asks nobody on n8n's engine 2.0, which cannot continue after a wait", async () => {
	const { error } = await ask({}, { executionId: '01a21057-d93e-72dc-ab7a-3df51c812f0c' });
	expect(error).toMatchObject({
		message: "Send and Wait for Response does not work on n8n's engine 2.0 [item 0]",
		description: expect.stringContaining('Nothing was sent for this item.'),
	});
	expect(service.sent()).toEqual([]);
});

test('asks by template too', async () => {
	await inbox();
	const { status } = await ask({ messageType: 'template', ...welcomeParameters });
	expect(status).toBe('waiting');
	expect(service.sandbox.state.messages.all).toMatchObject([
		{ phone: '+15550001001', text: expect.stringContaining('Hello Anna 1, welcome to Acme!') },
	]);
});

test('asks nobody if the values do not fit the template', async () => {
	await inbox();
	const { error } = await ask({ messageType: 'template', template: 'hello', language: 'en_US' });
	expect(error?.message).toBe('The service has no template "hello" [item 0]');
	expect(service.sent()).toEqual([]);
});

test('if a text is refused, the error says how to ask with a template', async () => {
	await inbox();
	service.fault({ endpoint: 'sendText', ...refused });
	expect((await ask()).error?.description).toMatch(
		/^Most services refuse a text .*choose 'Template' under 'Message Type'/,
	);
});

test('does not wait if the only question cannot be sent', async () => {
	await inbox();
	service.fault({ endpoint: 'sendText', ...refused });
	const { status, outputs } = await ask({}, { onError: 'continueRegularOutput' });
	expect(status).toBe('success');
	expect(outputs[0].map(({ json }) => json)).toEqual([
		expect.objectContaining({
			sendStatus: 'notSent',
			details: expect.objectContaining({ sendStatus: 'notSent' }),
		}),
	]);
});
