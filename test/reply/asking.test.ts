/** Asking, in n8n's engine: who is registered for, before and after the questions went out. */
import type { INodeParameters } from 'n8n-workflow';

import { endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { useService } from '../support/service';
import { welcomeParameters } from '../support/templates';

const service = useService();
const question: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	to: '=+1555000{{ 1000 + $json.n }}',
	message: 'Tuesday?',
};
const items = [{ n: 1 }, { n: 2 }, { n: 3 }];
const webhooks = () => service.sandbox.state.webhooks.all;
const refused = { status: 422, body: { message: 'no' } };
const ask = async (parameters: INodeParameters = {}, more: object = {}) =>
	await service.run({ parameters: { ...question, ...parameters }, items, ...more });

test('waits for everybody, with one registration each that shows no number', async () => {
	const { status } = await ask();
	expect(status).toBe('waiting');
	expect(service.sent().map(({ phone }) => phone)).toEqual([
		'+15550001001',
		'+15550001002',
		'+15550001003',
	]);
	expect(webhooks()).toHaveLength(3);
	expect(webhooks()[0]).toMatchObject({
		events: ['message.received'],
		url: expect.stringMatching(
			/^http:\/\/n8n\.test\/webhook-waiting\/\d+\/[^/]+\?wait=[\w-]+&signature=\w+$/,
		),
	});
});

test('asks by template too', async () => {
	const { status, error } = await ask({ messageType: 'template', ...welcomeParameters });
	expect(error).toBeUndefined();
	expect(status).toBe('waiting');
	expect(service.sandbox.state.messages.all.map(({ phone, text }) => [phone, text])).toEqual(
		items.map(({ n }) => [
			`+1555000100${n}`,
			expect.stringContaining(`Hello Anna ${n}, welcome to Acme!`),
		]),
	);
	expect(webhooks()).toHaveLength(3);
});

test('a question by a template that does not fit reaches nobody', async () => {
	const { error } = await ask({ messageType: 'template', template: 'hello', language: 'en_US' });
	expect(error?.message).toBe('The service has no template "hello" [item 0]');
	expect(service.sent()).toEqual([]);
	expect(webhooks()).toEqual([]);
});

test('asks nobody if the service takes no registration', async () => {
	await service.fault({ endpoint: 'createWebhook', skip: 1, ...refused });
	const { error } = await ask();
	expect(error?.message).toBe('The service refused the request: no (HTTP 422) [item 0]');
	expect(service.sent()).toEqual([]);
	expect(webhooks()).toEqual([]);
});

test('leaves no registration behind when a question cannot be sent', async () => {
	await service.fault({ endpoint: 'sendText', skip: 1, ...refused });
	const { status } = await ask({ options: { concurrency: 1 } });
	expect(status).toBe('error');
	expect(webhooks()).toEqual([]);
});

test('waits for the others when the node continues on errors', async () => {
	await service.fault({ endpoint: 'sendText', skip: 1, ...refused });
	const { status } = await ask(
		{ options: { concurrency: 1 } },
		{ onError: 'continueRegularOutput' },
	);
	expect(status).toBe('waiting');
	expect(webhooks()).toHaveLength(2);
});

test('does not wait if there is nobody left to wait for', async () => {
	await service.fault({ endpoint: 'sendText', count: 3, ...refused });
	const { status, outputs } = await ask({}, { onError: 'continueRegularOutput' });
	expect(status).toBe('success');
	expect(outputs[0].map(({ json }) => json)).toEqual(
		items.map(() => ({ error: expect.objectContaining({ sendStatus: 'notSent' }) })),
	);
	expect(webhooks()).toEqual([]);
});

test('a retry waits for those who were asked already without asking them again', async () => {
	await service.fault({ endpoint: 'sendText', skip: 1, ...refused });
	const run = await ask({ options: { concurrency: 1 } });
	const again = await service.engine.retry(run, { credentials: service.credentials() });
	expect(again.status).toBe('waiting');
	expect(service.sent().map(({ phone }) => phone)).toEqual([
		'+15550001001',
		'+15550001002',
		'+15550001003',
	]);
	expect(webhooks()).toHaveLength(3);
});

test.each([
	[{ timeLimit: 0 }, 'The Time Limit is not a time between 0 and 365 days [item 0]'],
	[{ responseType: 'choice', choices: ' , ' }, 'Choices is empty [item 0]'],
	[{ message: ' ' }, "'Message' is empty [item 0]"],
])('refuses %j before anything is sent', async (parameters, message) => {
	expect((await ask(parameters)).error?.message).toBe(message);
	expect(
		Object.keys(endpoints).filter((name) => service.calls(name as keyof typeof endpoints) > 0),
	).toEqual([]);
});

test('asks no more people at once than it can look after', async () => {
	const many = Array.from({ length: 101 }, (_, n) => ({ n: 100 + n }));
	const { error } = await ask({}, { items: many });
	expect(error?.message).toBe('101 people would be asked at once, and at most 100 can be [item 0]');
});

test.each([
	'http://n8n.example.com',
	'http://localhost:5678',
	'https://n8n',
	'https://n8n.internal',
	'https://10.1.2.3',
	'https://100.64.0.1',
	'https://169.254.169.254',
	'https://172.16.0.1',
	'https://192.168.0.1',
	'https://198.18.0.1',
	'https://224.0.0.1',
	'https://[::1]',
	'https://[fd00::1]',
	'https://[::ffff:10.0.0.1]',
])('asks nobody if the answers cannot be delivered to n8n, at %s', async (baseUrl) => {
	const credentials = service.credentials({ baseUrl: 'https://api.example.com' });
	const { error } = await service.run({ parameters: question, items, credentials, baseUrl });
	expect(error).toMatchObject({
		message: expect.stringContaining(`The service cannot deliver to ${new URL(baseUrl).origin}`),
		description: expect.stringContaining('nothing was sent'),
	});
});
