/** The same deliveries to both receivers in one n8n, in turn. */
import { Agent } from 'node:http';
import axios from 'axios';
import chunk from 'lodash/chunk';
import countBy from 'lodash/countBy';
import range from 'lodash/range';
import pLimit from 'p-limit';
import { outputOf } from '../../tools/n8n/client';
import type { N8nServer } from '../../tools/n8n/server';
import { UserError } from '../../tools/userError';
import { step } from '../../tools/progress';
import { waitFor } from '../../tools/waitFor';
import { cpuSeconds } from '../campaign/usage';
import type { SandboxClient } from '../../tools/sandboxClient';
import { deliveriesOf, identifierOf } from './events';
import { makeOurs, makePlain, type Receiver } from './receivers';

/** Deliveries that are under way at once. */
const BURST = 20;
/** In so many parts each receiver gets its deliveries, so that both meet the same n8n and the same machine. */
const PARTS = 5;
const WARM_UP = 60;
const END_LIMIT = 120_000;

/** What to deliver where. */
export interface Order {
	n8n: N8nServer;
	service: SandboxClient;
	/** In words. */
	environment: string;
	events: number;
	repeated: boolean;
}

/** What a receiver made of the deliveries. */
export interface Result {
	name: Receiver['name'];
	deliveries: number;
	executions: number;
	/** Events without an execution, and with more than one. */
	lost: number;
	doubled: number;
	/** From the first delivery of a part to the end of its last execution, all parts together. */
	seconds: number;
	/** Of n8n's process in the same time. */
	cpuSeconds: number;
}

/** Both in comparison. */
export interface Comparison {
	environment: string;
	events: number;
	repeated: boolean;
	ours: Result;
	plain: Result;
}

const http = axios.create({
	httpAgent: new Agent({ keepAlive: true }),
	proxy: false,
	timeout: 60_000,
	headers: { 'content-type': 'application/json' },
});

/** Measures both. @throws UserError when a delivery is not answered with 200 */
export async function compare({
	n8n,
	service,
	environment,
	events,
	repeated,
}: Order): Promise<Comparison> {
	const receivers = { ours: await makeOurs(n8n, service), plain: await makePlain(n8n) };
	const warmUps = { ours: await makeOurs(n8n, service), plain: await makePlain(n8n) };
	const bodies = deliveriesOf(events, { repeated });
	const used = { ours: { seconds: 0, cpuSeconds: 0 }, plain: { seconds: 0, cpuSeconds: 0 } };
	for (const who of ['ours', 'plain'] as const)
		await deliver(n8n, warmUps[who], deliveriesOf(WARM_UP, { repeated: false }));
	const parts = chunk(bodies, Math.ceil(bodies.length / PARTS));
	for (const [index, part] of parts.entries()) {
		const turn = index % 2 === 0 ? (['ours', 'plain'] as const) : (['plain', 'ours'] as const);
		for (const who of turn) {
			const title = `${environment}: part ${index + 1} of ${parts.length}, ${receivers[who].name}`;
			const one = await step(title, async () => await deliver(n8n, receivers[who], part));
			used[who].seconds += one.seconds;
			used[who].cpuSeconds += one.cpuSeconds;
		}
	}
	const resultOf = async (who: 'ours' | 'plain'): Promise<Result> => ({
		name: receivers[who].name,
		deliveries: bodies.length,
		...(await outcome(n8n, receivers[who], events)),
		...used[who],
	});
	const comparison = {
		environment,
		events,
		repeated,
		ours: await resultOf('ours'),
		plain: await resultOf('plain'),
	};
	for (const { workflowId } of [...Object.values(receivers), ...Object.values(warmUps)])
		await n8n.client.deactivate(workflowId);
	return comparison;
}

/** Delivers in bursts; the next one begins when the last one is answered, and all ends with the last execution. */
async function deliver(
	{ client, pid }: N8nServer,
	{ url, workflowId }: Receiver,
	bodies: string[],
): Promise<{ seconds: number; cpuSeconds: number }> {
	if (pid === undefined) throw new UserError('n8n has ended.');
	const [start, cpu] = [performance.now(), cpuSeconds(pid)];
	for (const burst of chunk(bodies, BURST)) {
		const answers = await Promise.all(
			burst.map(async (body) => await http.post(url, body, { validateStatus: () => true })),
		);
		const refused = answers.find(({ status }) => status !== 200);
		if (refused) throw new UserError(`A delivery was answered with ${refused.status}.`);
	}
	// n8n lists what still runs first.
	const isIdle = async () =>
		(await client.listExecutions(workflowId, 1)).every(({ status }) => status === 'success');
	await waitFor(isIdle, { what: 'the executions to end', limit: END_LIMIT, interval: 50 });
	return { seconds: (performance.now() - start) / 1000, cpuSeconds: cpuSeconds(pid) - cpu };
}

/** Which events have started an execution, by what the executions hold. */
async function outcome(
	{ client }: N8nServer,
	{ workflowId, node }: Receiver,
	events: number,
): Promise<Pick<Result, 'executions' | 'lost' | 'doubled'>> {
	const list = await client.listAllExecutions(workflowId);
	const limit = pLimit(5);
	const identifiers = await Promise.all(
		list.map(
			async ({ id }) =>
				await limit(async () => {
					const json = outputOf(await client.getExecution(id), node)[0]?.json as {
						messageId?: string;
						body?: { data: { id: string } };
					};
					return json.messageId ?? json.body?.data.id ?? '';
				}),
		),
	);
	const counts = countBy(identifiers);
	const each = range(events).map((index) => counts[identifierOf(index)] ?? 0);
	return {
		executions: list.length,
		lost: each.filter((count) => count === 0).length,
		doubled: each.filter((count) => count > 1).length,
	};
}
