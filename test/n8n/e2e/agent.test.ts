/**
 * The example of an AI agent on a real n8n, with a stand-in for the model: whom the agent answers, and when it leaves a
 * chat to a person.
 */
import axios from 'axios';

import { untilPhoneIsQuiet } from '../../../harness/editor/phone';
import { type ChatMessage, type Model, startModel } from '../../../harness/editor/model';
import { readSampleContacts } from '../../../harness/examples';
import { hasEnded } from '../../../harness/n8n/client';
import { deleteTable, findTable, readTable } from '../../../harness/n8n/dataTables';
import { useN8n, withFields } from '../../../harness/useN8n';
import { until } from '../../../harness/until';

const n8n = useN8n();
const [zara, daisy] = readSampleContacts().map(({ phone }) => phone);
const colleague = '+447700900001';
const table = 'AI chats';
const summary = 'Daisy wants her money back.';

let model: Model;
/** The requests to the model, oldest first: the instructions and the message. */
let asked: ChatMessage[][];
/** A promise for which the model waits before it answers. */
let thinking: Promise<unknown>;

beforeEach(async () => {
	asked = [];
	thinking = Promise.resolve();
	model = await startModel({ Summary: summary }, async (messages) => {
		asked.push(messages);
		await thinking;
		return JSON.stringify(messages.at(-1)?.content).includes('a person');
	});
	for (const name of [table, 'Opt-outs'])
		if (await findTable(n8n.client, name)) await deleteTable(n8n.client, name);
});
afterEach(async () => await model.close());

/** Publishes the example. @returns its ID */
async function publish(settings: Record<string, string> = {}): Promise<string> {
	const credentials = { openAiApi: await model.credentialFor(n8n.client) };
	return await n8n.publish(
		n8n.example('ai-agent', {
			Settings: withFields(settings),
			'AI model': (node) => Object.assign(node, { credentials }),
		}),
	);
}

/** Waits until every message has its receipts, and n8n has handled all events. */
async function untilQuiet(...workflows: string[]): Promise<void> {
	await untilPhoneIsQuiet(n8n.sandbox);
	const haveEnded = async () => {
		const executions = await Promise.all(workflows.map((id) => n8n.client.listExecutions(id)));
		return executions.flat().every(hasEnded);
	};
	await until('executions to end', haveEnded, { limit: 180_000 });
	// The answers have receipts, which start executions too.
	await untilPhoneIsQuiet(n8n.sandbox);
	await until('executions to end', haveEnded, { limit: 180_000 });
	await untilPhoneIsQuiet(n8n.sandbox);
	for (const id of workflows)
		expect((await n8n.client.listExecutions(id)).map(({ status }) => status)).not.toContain(
			'error',
		);
}

const textsTo = (phone: string) =>
	n8n.outbound.filter((message) => message.phone === phone).map(({ text }) => text);

/** Sends a message as a customer. @returns what the customer gets */
async function write(from: string, text: string, workflow: string): Promise<string[]> {
	const before = textsTo(from).length;
	n8n.write(from, text);
	await untilQuiet(workflow);
	return textsTo(from).slice(before);
}

test('it remembers each customer’s chat, even after a restart of n8n, and does not mix up customers', async () => {
	const id = await publish();
	const [answer] = await write(zara, 'How long does delivery take?', id);
	expect(answer).toContain('How long does delivery take?');
	await write(daisy, 'Do you sell shoes?', id);
	await n8n.restart();
	expect(await write(zara, 'And to France?', id)).toHaveLength(1);
	const instructions = String(asked.at(-1)?.[0].content);
	expect(instructions).toContain(`Customer: How long does delivery take?\nYou: ${answer}`);
	expect(instructions).not.toContain('shoes');
	expect(textsTo(colleague)).toEqual([]);
});

test('it hands over with a summary, stays out of the chat, and comes back when the colleague or the customer asks', async () => {
	const id = await publish();
	expect(await write(daisy, 'I want to talk to a person', id)).toHaveLength(1);
	expect(textsTo(colleague)).toEqual([
		`Please take over the chat with ${daisy}. What you write here does not reach the customer: answer in the inbox of your business. To give the chat back to the AI, write: done ${daisy}\n\n${summary}`,
	]);
	expect(await write(daisy, 'Are you there?', id)).toEqual([]);
	expect(await write(colleague, 'I am on it', id)).toEqual([]);
	expect(await write(daisy, 'Hello?', id)).toEqual([]);
	expect(await write(colleague, `Done ${daisy}`, id)).toEqual([`The AI answers ${daisy} again.`]);
	expect(await write(daisy, 'Thanks, one more question', id)).toHaveLength(1);
	expect(asked.at(-1)?.[0].content).toContain('Customer: Hello?');

	await write(daisy, 'Again a person, please', id);
	expect(await write(daisy, 'Anybody?', id)).toEqual([]);
	expect(await write(daisy, 'Assistant', id)).toHaveLength(1);
});

test('it stays out of a chat in which a colleague wrote last, even if that happens while it thinks', async () => {
	const id = await publish();
	expect(await write(zara, 'Where is my order?', id)).toHaveLength(1);
	n8n.sandbox.state.traffic.send({ phone: zara, text: 'Let me look, Zara.' });
	await untilQuiet(id);
	expect(await write(zara, 'Thank you!', id)).toEqual([]);
	expect(asked).toHaveLength(1);

	let answer: (value?: unknown) => void = () => {};
	thinking = new Promise((resolve) => (answer = resolve));
	n8n.write(daisy, 'Where is my order?');
	await until('the model to be asked', () => asked.length === 2);
	n8n.sandbox.state.traffic.send({ phone: daisy, text: 'It comes today.' });
	const isKnown = async () =>
		(await readTable(n8n.client, table)).some(
			({ phone, who }) => phone === daisy && who === 'business',
		);
	await until('the message of the colleague to be known', isKnown, { limit: 60_000 });
	answer();
	await untilQuiet(id);
	expect(textsTo(daisy)).toEqual(['It comes today.']);
});

test('a customer who writes again while the AI calls a colleague learns that one comes, and gets no other answer', async () => {
	const id = await publish();
	const answers: Array<(value?: unknown) => void> = [];
	for (const [index, text] of ['I want to talk to a person', 'Are you there?'].entries()) {
		thinking = new Promise((resolve) => answers.push(resolve));
		n8n.write(daisy, text);
		await until('the model to be asked', () => asked.length === index + 1, { limit: 60_000 });
	}
	answers[0]();
	await until('the answer', () => textsTo(daisy).length === 1, { limit: 60_000 });
	const isKnown = async () =>
		(await readTable(n8n.client, table)).some(({ who }) => who === 'handover');
	await until('the answer to be known', isKnown, { limit: 60_000 });
	answers[1]();
	await untilQuiet(id);
	expect(textsTo(daisy)).toHaveLength(1);
	expect(textsTo(colleague)).toHaveLength(1);
});

test.each([
	['at once after another message', false],
	['while the AI thinks about another message', true],
])('a customer who writes STOP %s gets exactly one message', async (_, isThinking) => {
	const optOuts = await n8n.publish(n8n.example('opt-outs'));
	const id = await publish();
	let answer: (value?: unknown) => void = () => {};
	if (isThinking) thinking = new Promise((resolve) => (answer = resolve));
	n8n.write(zara, 'Do you sell shoes?');
	if (isThinking) await until('the model to be asked', () => asked.length === 1);
	n8n.write(zara, 'STOP');
	const isKnown = async () =>
		(await findTable(n8n.client, table)) !== undefined &&
		(await readTable(n8n.client, table)).some(({ who }) => who === 'stop');
	await until('STOP to be known', isKnown, { limit: 60_000 });
	answer();
	await untilQuiet(id, optOuts);
	n8n.write(zara, 'ok, bye');
	await untilQuiet(id, optOuts);
	expect(textsTo(zara)).toEqual([expect.stringMatching(/^You will get no more offers/)]);
	expect(asked).toHaveLength(isThinking ? 1 : 0);
});

test('a bot that replies to every answer is left to a colleague after a few answers', async () => {
	const id = await publish({ maxAnswers: '2' });
	expect(await write(zara, 'I am a bot. 1', id)).toHaveLength(1);
	expect(await write(zara, 'I am a bot. 2', id)).toHaveLength(1);
	expect(await write(zara, 'I am a bot. 3', id)).toEqual([]);
	expect(textsTo(colleague)).toEqual([
		expect.stringContaining(`The AI has answered ${zara} 2 times within an hour`),
	]);
	expect(await write(zara, 'I am a bot. 4', id)).toEqual([]);
	expect(textsTo(colleague)).toHaveLength(1);
});

test('two people in one delivery: each gets an answer, and the colleague learns of each', async () => {
	const id = await publish();
	const { webhooks } = n8n.sandbox.state;
	const event = (from: string, id: string) => ({
		event: 'message.received',
		data: { id, from, text: 'I want to talk to a person', timestamp: new Date().toISOString() },
	});
	const delivery = [event(zara, 'msg_a'), event(daisy, 'msg_b')];
	await axios.post(webhooks.all[0].url, delivery, { proxy: false });
	await untilQuiet(id);
	expect([textsTo(zara).length, textsTo(daisy).length]).toEqual([1, 1]);
	expect(textsTo(colleague).sort()).toEqual(
		[zara, daisy].sort().map((phone) => expect.stringContaining(`the chat with ${phone}.`)),
	);
});

test('if the model fails, the customer learns that somebody will answer, and the colleague what was written', async () => {
	const id = await publish();
	await model.close();
	expect(await write(zara, 'Hello?', id)).toEqual([
		expect.stringContaining('A colleague will answer you here'),
	]);
	expect(textsTo(colleague)).toEqual([
		expect.stringMatching(
			new RegExp(`\\${zara}, who wrote: Hello\\?\n\nTo give it back .* done \\${zara}$`),
		),
	]);
	expect(await write(zara, 'Anybody?', id)).toEqual([]);
});
