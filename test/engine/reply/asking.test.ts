/** Asking, in n8n's engine: who receives the replies, before and after the questions are sent. */
import { range } from 'lodash';
import { ExecuteContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';

import type { QuestionRun } from '../../../nodes/BusinessMessaging/inbox/questionRun';
import { listenByWebhook } from '../../../nodes/BusinessMessaging/inbox/withoutTrigger';
import { readServiceConfig } from '../../../nodes/BusinessMessaging/transport/serviceConfig';
import { useService } from '../../../harness/engine/service';
import { welcomeParameters } from '../../../harness/engine/templates';

const service = useService();
const question: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	to: '=+1555000{{ 1000 + $json.n }}',
	message: 'Tuesday?',
};
const webhooks = () => service.sandbox.state.webhooks.all;
const refused = { status: 422, body: { message: 'no' } };
const ask = async (parameters: INodeParameters = {}, more: object = {}) =>
	await service.run({ parameters: { ...question, ...parameters }, items: [{ n: 1 }], ...more });

test('without a trigger: waits for one person, with one registration that shows no number', async () => {
	const { status } = await ask();
	expect(status).toBe('waiting');
	expect(service.sent().map(({ phone }) => phone)).toEqual(['+15550001001']);
	expect(webhooks()).toEqual([
		expect.objectContaining({
			events: ['message.received'],
			url: expect.stringMatching(
				/^http:\/\/n8n\.test\/webhook-waiting\/\d+\/[^/]+\?wait=[\w-]{11}\.[\w-]{43}&signature=\w+$/,
			),
		}),
	]);
});

test.each<[string, INodeParameters, object]>([
	['to ask several people', {}, { items: [{ n: 1 }, { n: 2 }] }],
	['to group messages', { replyOptions: { groupMessages: 1 } }, {}],
])('without a trigger: refuses to ask %s, and says what to do', async (_, parameters, more) => {
	const { error } = await ask(parameters, more);
	expect(error).toMatchObject({
		message:
			'To ask several people at once, or to group messages, the node needs a published Business Messaging Trigger [item 0]',
		description: expect.stringMatching(/Nothing was sent\.|so nothing was sent in this run\./),
	});
	expect(service.sent()).toEqual([]);
	expect(webhooks()).toEqual([]);
});

test('refuses to ask more than 10,000 people', async () => {
	const items = range(10_001).map((n) => ({ n }));
	const to = '=+1555{{ 1000000 + $json.n }}';
	const messageFor = async (count: number) =>
		(await ask({ to }, { items: items.slice(0, count) })).error?.message;
	expect(await messageFor(10_001)).toContain('asks 10001 people; the maximum is 10000');
	expect(await messageFor(10_000)).toContain('To ask several people at once'); // there is no trigger
	expect(service.sent()).toEqual([]);
}, 240_000);

test.each(['businessMessaging', 'businessMessagingHitlTool'])(
	'%s asks the same person the same question in each round of an execution',
	async (type) => {
		const options = {
			parameters: question,
			items: [{ n: 1 }, { n: 1 }],
			...{ batchSize: 1, settings: { type: `n8n-nodes-business-messaging.${type}` } },
		};
		const first = await service.run(options);
		expect(first.status).toBe('waiting');
		webhooks().length = 0; // as when the reply has come
		await service.engine.retry(first, { credentials: service.credentials() });
		expect(service.sent()).toHaveLength(2);
	},
);

test('a tool that an agent runs itself does not ask again if the first question may have been sent', async () => {
	const contexts: { isToolExecution?: () => boolean } = ExecuteContext.prototype;
	contexts.isToolExecution ??= () => false; // older versions of n8n have no such method
	jest.spyOn(contexts as Required<typeof contexts>, 'isToolExecution').mockReturnValue(true);
	await service.fault({ endpoint: 'sendText', reset: 'afterRead' });
	const { rounds } = await service.run({
		parameters: question,
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
		description: expect.stringContaining('Nothing was sent.'),
	});
	expect(service.sent()).toEqual([]);
	expect(webhooks()).toEqual([]);
});

test('asks by template too', async () => {
	const { status } = await ask({ messageType: 'template', ...welcomeParameters });
	expect(status).toBe('waiting');
	expect(service.sandbox.state.messages.all).toMatchObject([
		{ phone: '+15550001001', text: expect.stringContaining('Hello Anna 1, welcome to Acme!') },
	]);
});

test('asks nobody if the values do not fit the template', async () => {
	const { error } = await ask({ messageType: 'template', template: 'hello', language: 'en_US' });
	expect(error?.message).toBe('The service has no template "hello" [item 0]');
	expect(service.sent()).toEqual([]);
	expect(webhooks()).toEqual([]);
});

test('refuses an address of n8n that the service cannot reach, before anything is sent', async () => {
	const run = {
		id: 'x',
		client: { config: readServiceConfig({ apiKey: 'key', baseUrl: 'https://api.example.com' }) },
		context: {
			getSignedResumeUrl: () => 'http://n8n.test/webhook-waiting/1/a?signature=1',
			getInstanceId: () => 'instance',
		},
		asked: [{ request: { body: { to: '+15550001001' } } }],
	} as unknown as QuestionRun;
	await expect(listenByWebhook(run, [])).rejects.toMatchObject({
		message: expect.stringContaining('The service cannot deliver to http://n8n.test'),
		description: expect.stringContaining('WEBHOOK_URL'),
	});
});

test('asks nobody if the service accepts no registration', async () => {
	await service.fault({ endpoint: 'createWebhook', ...refused });
	const { error } = await ask();
	expect(error?.message).toBe('The service refused the request: no (HTTP 422) [item 0]');
	expect(service.sent()).toEqual([]);
});

test('does not wait, and leaves no registration, if the only question cannot be sent', async () => {
	await service.fault({ endpoint: 'sendText', ...refused });
	const { status, outputs } = await ask({}, { onError: 'continueRegularOutput' });
	expect(status).toBe('success');
	expect(outputs[0].map(({ json }) => json)).toEqual([
		expect.objectContaining({
			sendStatus: 'notSent',
			error: expect.objectContaining({ sendStatus: 'notSent' }),
		}),
	]);
	expect(webhooks()).toEqual([]);
});
