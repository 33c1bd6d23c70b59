/** Send and Wait in queue mode: the trigger is published again while questions are open, and the worker that asks is killed. */
import { setTimeout as delay } from 'node:timers/promises';
import countBy from 'lodash/countBy';
import type { IDataObject } from 'n8n-workflow';
import { step } from '../../../harness/cli';
import { outputOf, startedWith } from '../../../harness/n8n/client';
import { numbersOf } from '../../../harness/sandboxClient';
import { until } from '../../../harness/until';
import type { Attempt, Delivery } from '../../../sandbox/deliveries';
import { hasRun, type Machine } from '../soak/machine';
import { ACTION, ofStart, patiently, Shop, START } from '../soak/shop';

const LIMIT = 5 * 60_000;
/** How long before the time limit the last replies are written, ms. */
const LAST_REPLIES = 9_000;
/** The time limit of the questions, ms. */
const WAIT = 60_000;

const question = {
	resource: 'message',
	operation: 'sendAndWait',
	to: '={{ $json.to }}',
	message: ofStart('text'),
	limitWaitTime: `={{ $('${START}').first().json.body.minutes }}`,
	waitTimeUnit: 'minutes',
};

/** The results of the messages of the people who were asked. */
interface Row {
	what: string;
	webhookProcesses: number;
	written: number;
	/** Messages that the run got, and messages that started the workflow of the trigger. */
	inRun: number;
	/** Replies that n8n responded to before the time limit: they must reach the run. */
	expectedInRun: number;
	started: number;
	lost: number;
	doubled: number;
}

/** Tests each disturbance with one webhook process, and with two processes that are routed by path. */
export async function replies(machine: Machine, { asked }: { asked: number }) {
	const rows: Row[] = [];
	const faults: string[] = [];
	for (const webhookProcesses of [1, 2]) {
		const others = machine.receivers.splice(webhookProcesses);
		const shop = await Shop.open(machine, {
			started: { ask: question },
			triggered: { inbox: { trigger: { keepReplies: true } } },
		});
		for (const [what, work] of Object.entries(disturbances)) {
			const title = `${what}, ${webhookProcesses} webhook process${webhookProcesses > 1 ? 'es' : ''}`;
			const result = await step(title, async () => await work(shop, asked));
			rows.push({ what, webhookProcesses, ...result });
			faults.push(...faultsOf(result).map((fault) => `${title}: ${fault}`));
		}
		await shop.close();
		machine.receivers.push(...others);
	}
	return { rows, faults };
}

type Counted = Omit<Row, 'what' | 'webhookProcesses'>;

/** What is wrong with the results. */
function faultsOf({ written, inRun, expectedInRun, lost, doubled }: Counted) {
	return [
		...(lost > 0 ? [`${lost} of ${written} replies lost`] : []),
		...(doubled > 0 ? [`${doubled} of ${written} replies used twice`] : []),
		...(inRun < expectedInRun ? [`the run got ${inRun} of ${expectedInRun} replies`] : []),
	];
}

const disturbances: Record<string, (shop: Shop, asked: number) => Promise<Counted>> = {
	/** One person never replies, so the run ends at its time limit. Then it must have the replies from before and after the publication. */
	'published again in the middle': async (shop, asked) => {
		const people = { from: 0, count: asked };
		const running = shop.run('ask', { text: 'Does Tuesday suit you?', minutes: 1, ...people });
		await untilAsked(shop, asked);
		const limit = Date.now() + WAIT;
		await untilStatus(shop, 'waiting');
		const end = Date.now() + WAIT;
		const [, ...numbers] = numbersOf(people);
		const late = Math.floor(numbers.length / 2);
		write(shop, numbers.slice(0, late));
		await shop.untilDelivered(); // the service delivers nothing to a webhook that is not registered
		const { id } = shop.places.inbox;
		const { client } = shop.machine.main;
		await patiently(async () => await client.deactivate(id));
		await patiently(async () => await client.activate(id));
		await delay(end - LAST_REPLIES - Date.now());
		write(shop, numbers.slice(late));
		const executions = await running;
		const output = executions.flatMap((one) => outputOf(one, ACTION)).map(({ json }) => json);
		const counts = await countsOf(shop, numbers, output);
		return { ...counts, expectedInRun: respondedBefore(shop, numbers, limit) };
	},
	/**
	 * n8n shows the execution as running for as long as possible. The messages of all people who were asked, or were to
	 * be asked, must still start a workflow.
	 */
	'the worker that asks is killed': async (shop, asked) => {
		const people = { from: 10_000, count: asked * 20 };
		const before = shop.sandbox.state.messages.all.length;
		const running = shop.run('ask', { text: 'Does Friday suit you?', minutes: 10, ...people });
		await untilAsked(shop, before + asked);
		const [id] = await shop.executions(shop.places.ask.id, 0, "AND status = 'running'");
		const worker = shop.machine.workers.find((one) => hasRun(one, id));
		await worker?.kill();
		const numbers = numbersOf({ ...people, count: asked });
		write(shop, numbers);
		await worker?.start();
		const executions = await running;
		const output = executions.flatMap((one) => outputOf(one, ACTION)).map(({ json }) => json);
		return { ...(await countsOf(shop, numbers, output)), expectedInRun: 0 };
	},
};

async function untilAsked({ sandbox }: Shop, count: number): Promise<void> {
	const { messages } = sandbox.state;
	await until('people to be asked', () => messages.all.length >= count, { limit: LIMIT });
}

async function untilStatus(shop: Shop, status: string): Promise<void> {
	const isThere = async () =>
		(await shop.executions(shop.places.ask.id, 0, `AND status = '${status}'`)).length > 0;
	await until(`the run to be ${status}`, isThere, { limit: LIMIT });
}

/**
 * How many replies n8n had responded to by a time, whatever the response: also those that the trigger has put off must
 * reach their run. A busy machine may respond to the last ones only later.
 */
function respondedBefore({ sandbox }: Shop, numbers: string[], time: number): number {
	const isInTime = ({ status, at, ms }: Attempt) => status !== null && Date.parse(at) + ms < time;
	const isExpected = ({ data, attempts }: Delivery) =>
		numbers.includes(String(data.from)) && attempts.some(isInTime);
	return sandbox.state.deliveries.log.last().filter(isExpected).length;
}

function write({ sandbox }: Shop, numbers: string[]): void {
	for (const from of numbers) sandbox.state.traffic.receive({ from, text: `By ${from}` });
}

/** Counts the results of the messages, after the service has delivered them and their executions have ended. */
async function countsOf(shop: Shop, numbers: string[], output: IDataObject[]) {
	await shop.untilDelivered();
	const { client } = shop.machine.main;
	// Replies that are too late for their run start the workflow once the asker counts as dead.
	const read = async () => {
		const ids = await shop.executions(shop.places.inbox.id, 0);
		const executions = await Promise.all(
			ids.map(async (id) => await client.getExecution(String(id))),
		);
		return executions.flatMap((one) => startedWith(one, START)).map(({ json }) => json);
	};
	const isOurs = ({ text }: IDataObject) => numbers.some((number) => text === `By ${number}`);
	const inRun = output.filter(isOurs).length;
	let started = (await read()).filter(isOurs);
	for (const end = Date.now() + LIMIT; inRun + started.length < numbers.length; ) {
		if (Date.now() > end) break;
		await delay(2_000);
		started = (await read()).filter(isOurs);
	}
	const times = countBy([...output.filter(isOurs), ...started], 'text');
	const counts = numbers.map((number) => times[`By ${number}`] ?? 0);
	return {
		written: numbers.length,
		inRun,
		started: started.length,
		lost: counts.filter((count) => count === 0).length,
		doubled: counts.filter((count) => count > 1).length,
	};
}
