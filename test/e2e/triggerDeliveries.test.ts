/** What is delivered to the trigger on a real n8n: repeated, hostile, and while n8n is killed. */
import axios from 'axios';
import { chunk, countBy, range } from 'lodash';

import { deliveriesOf, identifierOf } from '../../bench/trigger/events';
import type { Execution } from '../../tools/n8n/client';
import { waitFor } from '../../tools/waitFor';
import {
	attacks,
	evilPattern,
	honestBody,
	replayed,
	slowOnes,
	slowest,
	timed,
} from '../support/hostile';
import type { Attack, Deliver } from '../support/hostile';
import { useN8n } from './support/n8n';
import { TriggerWorkflows } from './support/trigger';

const n8n = useN8n();
const workflows = new TriggerWorkflows(n8n);
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

const registeredUrl = () => n8n.sandbox.state.webhooks.all[0].url;

async function post(
	url: string,
	body: string,
	headers: Record<string, string> = { 'Content-Type': 'application/json' },
): Promise<number> {
	const asIs = (value: unknown) => value;
	const { status } = await axios.post(url, body, {
		headers,
		transformRequest: asIs,
		validateStatus: () => true,
		proxy: false,
		timeout: 60_000,
	});
	return status;
}

/** The identifier of the message that has started an execution; one that was killed has no output yet. */
const messageOf = ({ data }: Execution) =>
	String(/"messageId":"([^"]*)"/.exec(JSON.stringify(data))?.[1]);

/** How often each event has started an execution, by the identifier of its message. */
async function startedBy(workflowId: string, count: number): Promise<Record<string, number>> {
	return countBy(await workflows.executions(workflowId, count), messageOf);
}

const once = (ids: string[]) => Object.fromEntries(ids.map((id) => [id, 1]));

beforeEach(() => n8n.sandbox.reset());
afterEach(async () => await workflows.deactivateAll());

test('200 events, of which 30 % come two or three times, in bursts of 20: 200 executions', async () => {
	const id = await workflows.make(true);
	const bodies = deliveriesOf(200);
	expect(bodies).toHaveLength(280);
	for (const burst of chunk(bodies, 20)) {
		expect(await Promise.all(burst.map(async (body) => await post(registeredUrl(), body)))).toEqual(
			burst.map(() => 200),
		);
	}
	expect(await startedBy(id, 200)).toEqual(once(range(200).map(identifierOf)));
});

test(`500 hostile deliveries start nothing and are answered as fast as honest ones (TEST_SEED=${seed})`, async () => {
	const id = await workflows.make(true, workflows.file({ filters: { textMatches: evilPattern } }));
	const url = registeredUrl();
	const deliver: Deliver = async (body, headers, urlOf = (registered) => registered) =>
		await post(urlOf(url), body, headers);
	expect(await deliver(replayed)).toBe(200);

	const measured: Array<{ attack: Attack; ms: number; status: number }> = [];
	const attack = async (one: Attack) => {
		const { result: status, ms } = await timed(
			async () => await deliver(one.body, one.headers, one.urlOf),
		);
		measured.push({ attack: one, ms, status });
	};
	for (const some of chunk(attacks(500, seed), 5)) await Promise.all(some.map(attack));
	const crashes = measured.filter(({ status }) => ![200, 400, 401, 413, 422].includes(status));
	expect(crashes.map(({ status, attack: { name, headers } }) => [status, name, headers])).toEqual(
		[],
	);

	const honest: string[] = [];
	const honestOf = (size: number) =>
		honestBody(honest[honest.push(`honest ${honest.length}`) - 1], size);
	expect(await slowOnes(slowest(measured, 1), deliver, honestOf)).toEqual([]);
	expect(await startedBy(id, 1 + honest.length)).toEqual(once(['replayed', ...honest]));
});

test('an event that n8n has answered is known after n8n was killed and started again', async () => {
	const id = await workflows.make(true);
	const { traffic, deliveries, webhooks } = n8n.sandbox.state;
	const events = range(10).map(
		(n) => traffic.receive({ from: `+1555000${1000 + n}`, text: `Question ${n}` }).deliveries[0],
	);
	await workflows.settled(events);
	// What was answered at the same moment is stored with the next one.
	events.push(traffic.receive({ from: '+15550001100', text: 'One more' }).deliveries[0]);
	await workflows.settled(events);
	await workflows.executions(id, 11);
	await n8n.playground.n8n.kill();
	await n8n.playground.n8n.start();
	const repeated = events.map(({ event, data }) =>
		deliveries.deliver(webhooks.all[0], event, data),
	);
	await workflows.settled(repeated);
	expect(await startedBy(id, 11)).toEqual(once(events.map(({ data }) => String(data.id))));
});

test('n8n is killed while 100 events arrive: each starts an execution, only those under way may start two', async () => {
	const id = await workflows.make(true);
	const { traffic } = n8n.sandbox.state;
	const write = (from: number, to: number) =>
		range(from, to).map((n) =>
			traffic.receive({ from: `+1555000${1000 + n}`, text: `Question ${n}` }),
		);
	const first = write(0, 60);
	const isDelivered = ({ deliveries: [{ state }] }: (typeof first)[number]) =>
		state === 'delivered';
	await waitFor(async () => first.filter(isDelivered).length >= 15, {
		what: 'some events to be delivered',
		limit: 60_000,
		interval: 5,
	});
	await n8n.playground.n8n.kill();
	expect(first.every(isDelivered)).toBe(false);
	const events = [...first, ...write(60, 100)];
	await n8n.playground.n8n.start();
	await waitFor(async () => events.every(isDelivered), {
		what: 'the service to get all events through',
		limit: 180_000,
	});

	const executions = await workflows.executions(id, events.length);
	const started = countBy(executions, messageOf);
	const attemptsOf = ({ deliveries: [{ attempts }] }: (typeof first)[number]) => attempts.length;
	expect(
		events.filter(({ message }) => !started[message.id]).map(({ message }) => message.id),
	).toEqual([]);
	const doubled = events.filter(({ message }) => started[message.id] > 1);
	expect(doubled.filter((event) => attemptsOf(event) === 1)).toEqual([]);
	expect(Math.max(...events.map(({ message }) => started[message.id]))).toBeLessThanOrEqual(2);

	// What had begun when n8n was killed is listed as crashed, and can be run again.
	const crashed = executions.find(({ status }) => status === 'crashed');
	const again = crashed && (await n8n.client.waitForExecution(await n8n.client.retry(crashed.id)));
	expect(again && [again.status, messageOf(again)]).toEqual(
		crashed && ['success', messageOf(crashed)],
	);
});
