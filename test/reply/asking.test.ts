/** Asking, in n8n's engine: who receives the replies, before and after the questions are sent. */
import type { IExecuteFunctions, INodeParameters, NodeOutput } from 'n8n-workflow';

import { useService } from '../support/service';
import { welcomeParameters } from '../support/templates';

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
				/^http:\/\/n8n\.test\/webhook-waiting\/\d+\/[^/]+\?wait=[\w-]{36}\.[\w-]{43}&signature=\w+$/,
			),
		}),
	]);
});

test.each<[string, INodeParameters, object]>([
	['to ask several people', {}, { items: [{ n: 1 }, { n: 2 }] }],
	['to group messages', { replyOptions: { groupMessages: 1 } }, {}],
])('without a trigger: refuses %s, and says what to do', async (_, parameters, more) => {
	const { error } = await ask(parameters, more);
	expect(error).toMatchObject({
		message:
			'To ask several people at once, or to group messages, publish a workflow with Business Messaging Trigger and the same credential, e.g. the example Inbox [item 0]',
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

test('a question by a template that does not fit reaches nobody', async () => {
	const { error } = await ask({ messageType: 'template', template: 'hello', language: 'en_US' });
	expect(error?.message).toBe('The service has no template "hello" [item 0]');
	expect(service.sent()).toEqual([]);
	expect(webhooks()).toEqual([]);
});

test('a question is not sent if nothing would receive the reply', async () => {
	await service.fault({ endpoint: 'listWebhooks', status: 500, count: 9 });
	const { outputs } = await ask({}, { onError: 'continueRegularOutput' });
	expect(outputs[0][0].json.sendStatus).toBe('notSent');
	expect(service.sent()).toEqual([]);
});

test('refuses an address of n8n that the service cannot reach, before anything is sent', async () => {
	const publicUrl = 'https://api.example.com';
	const node = service.engine.loaded.node('businessMessaging');
	const execute = Reflect.get(node, 'execute') as (this: IExecuteFunctions) => Promise<NodeOutput>;
	jest.spyOn(node, 'execute').mockImplementationOnce(async function (this: IExecuteFunctions) {
		const helpers = { ...this.helpers };
		this.helpers.httpRequestWithAuthentication = async function (type, options, more) {
			const url = options.url.replace(publicUrl, service.url);
			return await helpers.httpRequestWithAuthentication.call(
				this,
				type,
				{ ...options, url },
				more,
			);
		};
		return await execute.call(this);
	});
	const { error } = await ask({}, { credentials: service.credentials({ baseUrl: publicUrl }) });
	expect(error).toMatchObject({
		message: expect.stringContaining('The service cannot deliver to http://n8n.test'),
		description: expect.stringContaining('WEBHOOK_URL'),
	});
	expect([webhooks(), service.sent()]).toEqual([[], []]);
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

test('asks at most 10,000 people in one run', async () => {
	const items = Array.from({ length: 10_001 }, (_, n) => ({ n }));
	const { error } = await ask({ to: '=+15550{{ 100000 + $json.n }}' }, { items });
	expect(error?.message).toContain('10001 people would be asked at once, and at most 10000 can be');
});
