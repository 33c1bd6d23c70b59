/** The URLs of a deployment, called as their users would call them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import axios from 'axios';
import { readExample, readSampleContacts } from '../../../harness/examples';
import { hasEnded, outputOf } from '../../../harness/n8n/client';
import type { N8nInstall } from '../../../harness/n8n/install';
import { ACTION, node, withCredential, workflow } from '../../../harness/n8n/workflow';
import { until } from '../../../harness/until';
import { submitForm } from './formPage';
import { ASSISTANT, type Operator, OWNER } from './operator';

/** The file in which n8n defines its paths. */
const ENDPOINTS = 'node_modules/@n8n/config/dist/configs/endpoints.config.js';

/** A URL or its purpose, and the result: `yes` if it works, otherwise what happens instead. */
export interface Outcome {
	what: string;
	works: string;
}

/** A short sentence about what has to work, and the attempt, which throws if it does not work. */
type Check = [what: string, attempt: () => Promise<unknown>];

const [zara, daisy, arthur] = readSampleContacts();
const CLICKED = 'When clicking ‘Execute workflow’';
/** The title of n8n's editor, which its main process shows at every address that it does not know. */
const EDITOR = '<title>n8n.io - Workflow Automation</title>';
const http = axios.create({ timeout: 30_000, proxy: false, validateStatus: null, maxRedirects: 0 });

/** Makes all checks, one after the other. */
export async function urls(operator: Operator, install: N8nInstall): Promise<Outcome[]> {
	const outcomes: Outcome[] = [];
	const checks = [
		...productionPaths(operator, install),
		...examples(operator),
		...uses(operator),
		...editor(operator),
	];
	for (const [what, attempt] of checks) {
		const works = await attempt().then(
			() => 'yes',
			(error: Error) => error.message.slice(0, 300),
		);
		outcomes.push({ what, works });
	}
	return outcomes;
}

/** Below each of n8n's production paths, an unknown address is refused by the process that handles the known ones. */
function productionPaths({ url }: Operator, install: N8nInstall): Check[] {
	const source = readFileSync(path.join(install.folder, ENDPOINTS), 'utf8');
	const endpoints = Object.fromEntries(
		[...source.matchAll(/this\.(\w+) = '([\w-]+)'/g)].map(([, name, place]) => [name, place]),
	);
	const names = Object.keys(endpoints).filter(
		(name) => name.endsWith('Waiting') || `${name}Test` in endpoints,
	);
	assert(names.length >= 5, 'n8n names its paths elsewhere');
	return names.map((name) => {
		const place = `/${endpoints[name]}/424242`;
		return [
			`${place}: 404`,
			async () => assert.equal((await http.get(`${url}${place}`)).status, 404),
		];
	});
}

/** The URL of each node in the examples that has a URL. */
function examples(operator: Operator): Check[] {
	return Object.keys(operator.workflows).flatMap((name) =>
		operator.addressesOf(readExample(name, operator.credential)).map(({ node: one, webhook }) => {
			const { path: own, options } = one.parameters as {
				path?: string;
				options?: { path?: string };
			};
			const kind = webhook.nodeType ?? 'webhook';
			const place = own ?? options?.path ?? `${one.webhookId}/webhook`;
			const method = String(webhook.httpMethod).startsWith('=')
				? String(one.parameters.httpMethod ?? 'GET')
				: String(webhook.httpMethod);
			const attempt = async () => {
				const url = `${operator.url}/${kind}/${place}`;
				const { status, data } = await http.request<unknown>({ method, url, data: {} });
				assert.notEqual(status, 404, JSON.stringify(data));
				assert(!String(data).includes(EDITOR), 'The editor answers instead.');
			};
			return [`${name}: ${method} /${kind}/${place}`, attempt] as Check;
		}),
	);
}

/** What the URLs are used for. */
function uses(operator: Operator): Check[] {
	const { url, client } = operator;
	const outbound = () =>
		operator.sandbox.state.messages.all.filter(({ direction }) => direction === 'outbound');
	const textsTo = (phone: string) =>
		outbound()
			.filter((one) => one.phone === phone)
			.map(({ text }) => String(text));
	const untilTextTo = async (phone: string, text: RegExp) => {
		const hasCome = () => textsTo(phone).some((one) => text.test(one));
		await until(String(text), hasCome).catch(() =>
			assert.fail(`${phone} got ${JSON.stringify(textsTo(phone))} instead of ${text}.`),
		);
	};

	/** The shop calls. */
	const order = async () => {
		const body = { order: 'B-1', name: 'Anna Schmidt', phone: '0044 7700 900551' };
		const more = { arrives: '2030-01-31', invoice: 'https://example.com/B-1.pdf' };
		const { data } = await http.post<object>(`${url}/webhook/order-shipped`, { ...body, ...more });
		assert.match(JSON.stringify(data), /"messageId":"msg/);
	};

	/** A person signs in and chooses a file on the page; workers read it, and the last page comes from n8n's waiting forms. */
	const upload = async () => {
		const csv = 'name,phone\nNew Person,+44 7700 900777\n';
		const place = `${url}/form/contacts-from-csv`;
		await submitForm(place, { csv, ...OWNER }, /1 contacts are up to date/);
		assert(operator.sandbox.state.contacts.findByPhone('+447700900777'));
	};

	/** An assistant finds out what it can do, and sends a message. */
	const assistant = async () => {
		const mcp = new Client({ name: 'test', version: '1.0.0' });
		const headers = { [ASSISTANT.name]: ASSISTANT.value };
		const place = new URL(`${url}/mcp/business-messaging`);
		await mcp.connect(new StreamableHTTPClientTransport(place, { requestInit: { headers } }));
		const { tools } = await mcp.listTools();
		assert.equal(tools.length, 3);
		const call = { Recipient: arthur.phone, Text: 'See you on Tuesday' };
		await mcp.callTool({ name: 'Send_message', arguments: call });
		await mcp.close();
		assert.equal(textsTo(arthur.phone).at(-1), call.Text);
	};

	const writes = (from: string) =>
		operator.sandbox.state.traffic.receive({ from, text: 'How long does delivery take?' });

	/** A customer writes, and the service delivers that to every trigger. */
	const customer = async () => {
		const { deliveries } = writes(daisy.phone);
		assert(deliveries.length >= 6, `${deliveries.length} deliveries`);
		await until('n8n to answer', () => deliveries.every(({ state }) => state === 'delivered'));
		await untilTextTo(daisy.phone, /shortly|\d\d:\d\d to/);
	};

	/** The agent leaves a chat to others who answer in it, such as the auto-reply. */
	const agent = async () => {
		await client.deactivate(operator.workflows['auto-reply']);
		writes('+447700900155');
		await untilTextTo('+447700900155', /How long does delivery take\?/);
	};

	/** A workflow that asks a person. */
	const questionTo = (phone: string) => {
		const question = {
			...{ resource: 'message', operation: 'sendAndWait', to: phone },
			...{ message: 'Would Tuesday suit you?', limitWaitTime: 60, waitTimeUnit: 'minutes' },
		};
		const action = node('Ask', ACTION, 1, question, withCredential(operator.credential.id));
		return workflow(`Ask ${phone}`, [node(CLICKED, 'n8n-nodes-base.manualTrigger', 1), action]);
	};

	/** Asks a person, who replies. n8n gives the reply to the run by its own URL below /webhook-waiting. */
	const ask = async (phone: string) => {
		const id = await operator.run(questionTo(phone), CLICKED);
		await until(
			'the execution to wait',
			async () => (await client.getExecution(id)).status === 'waiting',
		);
		operator.sandbox.state.traffic.receive({ from: phone, text: 'Gladly' });
		const execution = await client.waitForExecution(id);
		assert.equal(outputOf(execution, 'Ask')[0]?.json.text, 'Gladly');
	};

	return [
		['order-update: the shop calls, the customer gets a message', order],
		['contact-sync: a file is chosen, the contact exists, the last page says so', upload],
		['mcp-server: an assistant lists its tools and sends a message', assistant],
		['a customer writes: all triggers receive it, and auto-reply answers', customer],
		['a customer writes, and there is no auto-reply: ai-agent answers', agent],
		['Send and Wait: the reply comes through the inbox', async () => await ask(zara.phone)],
		[
			'Send and Wait without an inbox: nobody is asked, and the error says what to publish',
			async () => {
				await client.deactivate(operator.workflows.inbox);
				const before = textsTo(zara.phone).length;
				const file = questionTo(zara.phone);
				const { error } = (await client.waitForExecution(await operator.run(file, CLICKED))).data
					.resultData;
				assert.match(String(error?.message), /^No published workflow keeps the replies/);
				assert.equal(textsTo(zara.phone).length, before);
			},
		],
	];
}

/** The URLs for which n8n's main process is responsible. */
function editor({ url, client, workflows }: Operator): Check[] {
	const isOk = (place: string): Check => [
		place,
		async () => assert.equal((await http.get(`${url}${place}`)).status, 200),
	];
	const testUrl = async () => {
		const id = workflows['order-update'];
		const body = { triggerToStartFrom: { name: 'When an order is shipped' } };
		const answer = await client.call<object>('POST', `/rest/workflows/${id}/run`, body);
		assert.deepEqual(answer, { waitingForWebhook: true });
		const order = { order: 'B-2', name: 'Anna', phone: zara.phone, arrives: '2030-01-31' };
		const invoice = 'https://example.com/B-2.pdf';
		const { status } = await http.post(`${url}/webhook-test/order-shipped`, { ...order, invoice });
		assert.equal(status, 200);
		const ended = async () => {
			const [newest] = await client.listExecutions(id, 1);
			return newest.mode === 'manual' && hasEnded(newest) && newest;
		};
		assert.equal((await until('the test execution to end', ended)).status, 'success');
	};
	return [
		isOk('/'),
		isOk('/healthz'),
		isOk('/rest/settings'),
		['a test URL, on a worker', testUrl],
	];
}
