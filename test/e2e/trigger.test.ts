/** The trigger on a real n8n: what starts an execution, and what it leaves at the service. */
import { countBy, range } from 'lodash';

import { outputOf } from '../../tools/n8n/client';
import { waitFor } from '../../tools/waitFor';
import { alwaysOpen, example, withFields } from './support/examples';
import { useN8n } from './support/n8n';
import { TriggerWorkflows, trigger } from './support/trigger';

const n8n = useN8n();
const workflows = new TriggerWorkflows(n8n);
const anna = '+15550001111';

const webhooks = () => n8n.sandbox.state.webhooks;
const write = (from: string, text: string) => n8n.sandbox.state.traffic.receive({ from, text });

beforeEach(() => n8n.sandbox.reset());
afterEach(async () => await workflows.deactivateAll());

test("a customer's message starts one execution, a receipt that was not chosen none", async () => {
	const id = await workflows.make(true);
	const first = write(anna, 'Hello');
	await workflows.settled(first.deliveries);
	const receipt = { id: 'msg_1', to: anna, status: 'read' };
	await workflows.settled([
		n8n.sandbox.state.deliveries.deliver(webhooks().all[0], 'message.read', receipt),
	]);
	const last = write(anna, 'Are you there?');
	await workflows.settled(last.deliveries);

	const [one, two, ...others] = await workflows.executions(id, 2);
	expect(others).toEqual([]);
	expect([one, two].map(({ mode, status }) => [mode, status])).toEqual([
		['webhook', 'success'],
		['webhook', 'success'],
	]);
	const event = ({ message }: typeof first) => ({
		event: 'message.received',
		from: anna,
		text: message.text,
		messageId: message.id,
		time: message.createdAt,
	});
	expect(
		[one, two].map((execution) => outputOf(execution, trigger).map(({ json }) => json)),
	).toEqual([[event(first)], [event(last)]]);
});

test('the test URL and the production URL work side by side', async () => {
	const id = await workflows.make(true);
	await n8n.client.run(id, trigger);
	expect(webhooks().all.map(({ url }) => new URL(url).pathname.split('/')[1])).toEqual([
		'webhook',
		'webhook-test',
	]);
	const both = write(anna, 'Is this a test?');
	await workflows.settled(both.deliveries);
	await waitFor(async () => webhooks().all.length === 1, {
		what: 'the test URL to be removed',
		limit: 30_000,
	});
	const one = write(anna, 'And now?');
	expect(one.deliveries).toHaveLength(1);
	await workflows.settled(one.deliveries);

	const started = (await workflows.executions(id, 3)).map((execution) => [
		execution.mode,
		outputOf(execution, trigger)[0].json.text,
	]);
	expect(started.sort()).toEqual([
		['manual', 'Is this a test?'],
		['webhook', 'And now?'],
		['webhook', 'Is this a test?'],
	]);
});

test('the auto-reply answers everybody who writes once, also when the service delivers a message again', async () => {
	const file = example(n8n, 'auto-reply', { 'Our opening hours': withFields(alwaysOpen) });
	const textOf = (node: string) => file.nodes.find(({ name }) => name === node)?.parameters.text;
	const id = await workflows.make(true, file);
	const questions = {
		'Tell me more': 'Tell more',
		'No, thanks': 'Say goodbye',
		'When do you open?': 'Promise an answer',
	};
	const written = Object.entries(questions).flatMap(([text, node], kind) =>
		range(4).map((n) => ({ ...write(`+1555000${kind}00${n}`, text), answer: textOf(node) })),
	);
	const deliveries = written.flatMap((one) => one.deliveries);
	await workflows.settled(deliveries);
	await workflows.settled(
		deliveries
			.slice(0, 3)
			.map(({ event, data }) =>
				n8n.sandbox.state.deliveries.deliver(webhooks().all[0], event, data),
			),
	);
	expect(await workflows.executions(id, written.length)).toHaveLength(written.length);

	const replies = n8n.sandbox.state.messages.all.filter(
		({ direction }) => direction === 'outbound',
	);
	expect(countBy(replies, ({ phone, text }) => `${phone}: ${text}`)).toEqual(
		Object.fromEntries(
			written.map(({ message, answer }) => [`${message.phone}: ${String(answer)}`, 1]),
		),
	);
});
