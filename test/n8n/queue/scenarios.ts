/** Campaigns that workers share, and events that several processes receive. Each scenario has a separate service. */
import axios from 'axios';
import countBy from 'lodash/countBy';
import difference from 'lodash/difference';
import isEqual from 'lodash/isEqual';
import partition from 'lodash/partition';
import range from 'lodash/range';
import type { INodeParameters } from 'n8n-workflow';
import pLimit from 'p-limit';
import type { Delivery } from '../../../sandbox/deliveries';
import { step } from '../../../harness/cli';
import { type Execution, outputOf } from '../../../harness/n8n/client';
import type { N8nProcess } from '../../../harness/n8n/server';
import { numbersOf } from '../../../harness/sandboxClient';
import { until } from '../../../harness/until';
import { hasRun, type Machine, WORKERS } from '../soak/machine';
import { replies } from './replies';
import { phonesOptedOut } from '../soak/recordTruth';
import { ACTION, type Body, isOpen, patiently, RATE, Shop } from '../soak/shop';

/**
 * n8n's queue gives an execution to the worker that asks first. If several parts of a campaign ran on the same worker,
 * they are sent again, up to this number of attempts.
 */
const ATTEMPTS = 6;
const LIMIT = 5 * 60_000;
const SIDE_BY_SIDE = 10;

/** Sizes: the messages of a campaign, the people of campaigns at the same moment, the events, and the people who are asked. */
interface Sizes {
	messages: number;
	people: number;
	events: number;
	asked: number;
}

/** The measurements, and what is wrong, independent of the speed of the machine. */
interface Result {
	rows: object[];
	faults: string[];
}

type Scenario = (machine: Machine, sizes: Sizes) => Promise<Result>;

const text = 'Our summer sale starts today.';
const sale = { resource: 'message', operation: 'sendText', to: '={{ $json.to }}', text };
const onceEach = { ...sale, sendOnce: true };

/** Opens a shop with two workflows that have the same node. */
const openSale = async (machine: Machine, parameters: INodeParameters) =>
	await Shop.open(machine, { started: { sale: parameters, copy: parameters } });

/** One, two and three workers send the same campaign with one key. It is larger than the service's limit allows at once. */
const campaigns: Scenario = async (machine, { messages }) => {
	await send(machine, WORKERS, messages); // all workers have then run the node once
	// The last message can go out only after the windows that the other messages fill.
	const best = ((Math.ceil(messages / RATE.requests) - 1) * RATE.windowMs) / 1000;
	const rows = [];
	const faults: string[] = [];
	for (const wanted of range(1, WORKERS + 1)) {
		const row = await send(machine, wanted, messages);
		const { workers, lost, doubled, seconds } = row;
		rows.push({ ...row, best, timesBest: seconds / best });
		if (lost + doubled > 0) faults.push(`${workers} workers: ${lost} lost, ${doubled} doubled`);
		if (workers !== wanted) faults.push(`for ${wanted} workers: n8n gave it to ${workers}`);
	}
	return { rows, faults };
};

async function send(machine: Machine, workers: number, messages: number) {
	const attempt = async () => {
		const shop = await openSale(machine, sale);
		const executions = await shop.run('sale', ...partsOf(messages, workers));
		await shop.close();
		const { counters } = shop.sandbox.state.requests;
		return {
			...{ workers: workersOf(machine, executions).length, messages },
			...{ seconds: secondsOf(executions), ...countsOf(shop, { from: 0, count: messages }) },
			tooManyRequests: counters.sendText.byStatus['429'] ?? 0,
		};
	};
	return await step(`${messages} messages by ${workers} of ${WORKERS} workers`, async () => {
		for (let attempts = 1; ; attempts++) {
			const row = await attempt();
			if (row.workers === workers || attempts === ATTEMPTS) return row;
		}
	});
}

/** How much longer than one worker several may take that send one campaign at the same moment, s. */
const MORE_SECONDS = 2;
/** After a worker was killed, so many messages may be uncertain: what a worker claims and sends within about two seconds. */
const MAX_UNCERTAIN = 600;

/**
 * Send Once: two nodes send one campaign at the same moment, first to the same people and then each to others, and then
 * once more. One worker alone shows how long it may take.
 */
const sendOnce: Scenario = async (machine, { people }) => {
	const alone = await together(machine, 'alone', [peopleOf(people)], onceEach);
	const same = await together(machine, 'the same people', everybody(people), onceEach);
	const different = await together(machine, 'other people', inParts(people), onceEach);
	const limit = alone[0].seconds + MORE_SECONDS;
	const rows = [...alone, ...same, ...different];
	const faults = rows.flatMap(({ what, when, items, ...row }) => {
		const sent = when === 'at once' ? people : 0;
		const title = `${what} ${when}`;
		return [
			...(row.sent === sent && row.skipped === items - sent ? [] : [`${title}: not each once`]),
			...(row.lost + row.doubled > 0 ? [`${title}: ${row.lost} lost, ${row.doubled} doubled`] : []),
			...(row.seconds > limit ? [`${title}: ${row.seconds} s, but at most ${limit}`] : []),
		];
	});
	return { rows, faults };
};

/** Frequency Cap: all workers send to the same people at the same moment, more often than the cap allows; and then once more. */
const cap: Scenario = async (machine, { people }) => {
	const audienceRules = { frequencyCap: { values: { messages: 2, per: 'week' } } };
	const rows = await together(machine, 'capped', everybody(people), { ...sale, audienceRules });
	const faults = rows.flatMap(({ when, sent, skipped, items, most }) => [
		...(most > 2 ? [`${when}: somebody got ${most} messages`] : []),
		...(sent === (when === 'at once' ? 2 * people : 0) && skipped === items - sent
			? []
			: [`${when}: ${sent} sent and ${skipped} skipped of ${items}`]),
	]);
	return { rows, faults };
};

/** The worker that sends a campaign is killed. Another node sends it again, at once: to everybody else. */
const killed: Scenario = async (machine, { people }) => {
	const count = 5 * people;
	const shop = await openSale(machine, { ...onceEach, campaign: 'killed' });
	const body = peopleOf(count);
	const messages = () => shop.sandbox.state.messages.all.length;
	const running = shop.run('sale', body);
	await until('messages', () => messages() >= count / 3, { limit: LIMIT, interval: 10 });
	const [id] = await shop.executions(shop.places.sale.id, 0, "AND status = 'running'");
	const worker = machine.workers.find((one) => hasRun(one, id));
	await worker?.kill();
	const before = messages();
	const again = await step(`${count} people, a worker was killed`, async () => {
		return await shop.run('copy', body);
	});
	await worker?.start();
	await running; // n8n ends it by its own recovery
	const items = itemsOf(again);
	const reported = items.filter(({ reason }) => reason === 'mayHaveBeenSent');
	const uncertain = reported.map(({ to }) => String(to));
	const counts = countsOf(shop, body);
	const got = new Set(shop.sandbox.state.messages.all.map(({ phone }) => phone));
	const isExplained = (phone: string) => got.has(phone) || uncertain.includes(phone);
	const unexplained = numbersOf(body).filter((phone) => !isExplained(phone));
	const row = { people: count, before, uncertain: uncertain.length, ...counts };
	await shop.close();
	const faults = [
		...(worker ? [] : ['no worker had the execution']),
		...(counts.doubled > 0 ? [`${counts.doubled} doubled`] : []),
		...(unexplained.length > 0 ? [`${unexplained.length} neither sent nor reported`] : []),
		...(uncertain.length > MAX_UNCERTAIN ? [`${uncertain.length} uncertain`] : []),
	];
	return { rows: [row], faults };
};

/** So many messages a minute go out while people write STOP, and so many people do so each time. */
const SLOWLY = 30;
const STOPPING = 5;

/**
 * STOP: one process receives it, any worker records it, and a campaign on another worker leaves these people out, those who write
 * before it, although they are in its preview, and those who write while the other half waits for the next minute.
 */
const optOuts: Scenario = async (machine) => {
	const campaign = { ...onceEach, campaign: 'stopped', options: { messagesPerMinute: SLOWLY } };
	const shop = await Shop.open(machine, {
		started: { preview: { ...campaign, mode: 'preview' }, sale: campaign },
		triggered: { inbox: { trigger: {}, records: true } },
	});
	const body = peopleOf(2 * SLOWLY);
	const phones = numbersOf(body);
	const sent = () =>
		shop.sandbox.state.messages.all.filter(({ direction }) => direction === 'outbound');
	const writeStop = async (from: string[]) => {
		for (const phone of from) shop.sandbox.state.traffic.receive({ from: phone, text: 'STOP' });
		const areListed = async () => difference(from, await phonesOptedOut(shop)).length === 0;
		await until('STOP to be recorded', areListed, { limit: LIMIT });
	};
	const previewed = itemsOf(await shop.run('preview', body));
	const before = phones.slice(0, STOPPING);
	const after = phones.slice(-STOPPING);
	await writeStop(before);
	const running = shop.run('sale', body);
	const half = async () => await until('half', () => sent().length >= SLOWLY, { limit: LIMIT });
	await step(`${phones.length} people at ${SLOWLY} a minute, ${2 * STOPPING} write STOP`, half);
	await writeStop(after);
	const sentBefore = sent().length;
	const items = itemsOf(await running);
	const out = items.filter(({ reason }) => reason === 'optedOut').map(({ to }) => String(to));
	const got = countBy(sent(), 'phone');
	await shop.close();
	const row = {
		...{ people: phones.length, preview: previewed.length, sentBefore },
		...{ sent: Object.keys(got).length, optedOut: out.length },
	};
	const wanted = difference(phones, before, after);
	const faults = [
		...(previewed.every(({ sendStatus }) => sendStatus === 'preview') ? [] : ['the preview sent']),
		...(sentBefore > SLOWLY ? ['the second half did not wait, so nothing is shown'] : []),
		...(isEqual(out.sort(), [...before, ...after].sort()) ? [] : [`left out: ${out.join()}`]),
		...(isEqual(got, countBy(wanted)) ? [] : ['not each of the others got it once']),
	];
	return { rows: [row], faults };
};

/** Each campaign has other people, because a cap counts all messages in the table. */
let nextPerson = 0;
function peopleOf(count: number): Body {
	nextPerson += count;
	return { text, from: nextPerson - count, count };
}

function everybody(count: number): Body[] {
	const body = peopleOf(count);
	return range(WORKERS).map(() => body);
}

/** Everybody in one of the parts. */
const inParts = (count: number) => range(WORKERS).map(() => peopleOf(count / WORKERS));

/** Starts all bodies at the same moment, in two workflows with the same node, and then once more. */
async function together(
	machine: Machine,
	what: string,
	bodies: Body[],
	parameters: INodeParameters,
) {
	const shop = await openSale(machine, {
		...parameters,
		...(parameters.sendOnce && { campaign: what }),
	});
	const from = Math.min(...bodies.map((body) => body.from));
	const people = Math.max(...bodies.map((body) => body.from + body.count)) - from;
	const rows = [];
	for (const when of ['at once', 'once more']) {
		const title = `${people} people, ${what}, ${bodies.length} campaigns ${when}`;
		const parts = partition(bodies, (body) => bodies.indexOf(body) % 2 === 0);
		const executions = await step(title, async () => {
			const runs = parts.map(
				async (part, index) => await shop.run(['sale', 'copy'][index], ...part),
			);
			return (await Promise.all(runs)).flat();
		});
		const items = itemsOf(executions);
		rows.push({
			...{ what, when, people, workers: workersOf(machine, executions).length },
			items: items.length,
			sent: items.filter(({ sendStatus }) => sendStatus === 'sent').length,
			skipped: items.filter(({ skipped }) => skipped).length,
			...{ ...countsOf(shop, { from, count: people }), seconds: secondsOf(executions) },
		});
	}
	await shop.close();
	return rows;
}

/**
 * Customers write, and their deliveries are repeated. Every execution replies to its customer, so that the service can
 * count executions.
 */
const trigger: Scenario = async (machine, { events }) => {
	const reply = { ...sale, to: '={{ $json.from }}', text: 'Thank you, we will answer soon.' };
	const shop = await Shop.open(machine, { triggered: { inbox: { trigger: {}, action: reply } } });
	const { state } = shop.sandbox;
	const rows: object[] = [];
	const faults: string[] = [];
	const ended = async () =>
		(await shop.executions(shop.places.inbox.id, 0, `AND ${isOpen()}`)).length === 0;
	/** @param round number of the round; each round has other customers */
	const measure = async (what: string, round: number, work: () => Promise<unknown>) => {
		await step(what, async () => {
			await work();
			await until('the executions to end', ended, { limit: LIMIT });
		});
		const { lost, doubled } = countsOf(shop, { from: round * events, count: events });
		rows.push({ what, events, executed: events - lost, doubled });
		if (lost > 0) faults.push(`${what}: ${lost} of ${events} events started no execution`);
		// Each process knows only the events that it has received itself; docs/scaling.md explains the consequences.
		if (doubled > 0 && what.includes('same process'))
			faults.push(`${what}: ${doubled} events started two executions`);
	};
	await measure('each once', 0, async () => {
		for (const from of numbersOf({ from: 0, count: events }))
			state.traffic.receive({ from, text: 'Hello' });
		await shop.untilDelivered();
	});
	const first = state.deliveries.log.last();
	/** Makes each delivery to all these processes at the same moment. */
	const bring = async (deliveries: Delivery[], urls: string[]) => {
		const limit = pLimit(SIDE_BY_SIDE);
		const options = { timeout: 60_000, proxy: false } as const;
		const bringOne = async ({ url, event, data }: Delivery) => {
			const places = urls.map((one) => url.replace(machine.url, one));
			// Like the service, repeats a delivery without a successful response.
			const post = async (place: string) =>
				await patiently(async () => await axios.post(place, { event, data }, options));
			await Promise.all(places.map(post));
		};
		await Promise.all(deliveries.map(async (one) => await limit(bringOne, one)));
	};
	/** Other events of the same kind, from customers who have not written yet. */
	const copies = (round: number) =>
		numbersOf({ from: round * events, count: events }).map((from, index) => {
			const { data, ...delivery } = first[index];
			return { ...delivery, data: { ...data, id: `copy-${from}`, from } };
		});
	const [same, another] = [machine.url, machine.main.url];
	const repeats: Array<[string, number, Delivery[], string[]]> = [
		['again, to the same process', 0, first, [same]],
		['again, to another process', 0, first, [another]],
		['to the same process twice at once', 1, copies(1), [same, same]],
		['to two processes at once', 2, copies(2), [same, another]],
	];
	for (const [what, round, deliveries, urls] of repeats)
		await measure(what, round, async () => await bring(deliveries, urls));
	await shop.close();
	return { rows, faults };
};

/** All by their names. */
export const scenarios: Record<string, Scenario> = {
	campaigns,
	trigger,
	sendOnce,
	killed,
	cap,
	optOuts,
	replies,
};

/** Splits a campaign into equal parts. */
function partsOf(messages: number, parts: number): Body[] {
	const count = messages / parts;
	return range(parts).map((part) => ({ text, from: part * count, count }));
}

/** The workers that ran executions, in the order of their numbers, according to n8n's logs. */
function workersOf({ workers }: Machine, executions: Execution[]): N8nProcess[] {
	return workers.filter((one) => executions.some(({ id }) => hasRun(one, id)));
}

/** The records that the node under test has output. */
function itemsOf(executions: Execution[]) {
	return executions.flatMap((one) => outputOf(one, ACTION).map(({ json }) => json));
}

/** The time from the start of the first sending node to the end of the last one, seconds, by n8n's own clock. */
function secondsOf(executions: Execution[]): number {
	const runs = executions.flatMap(({ data }) => data.resultData.runData[ACTION] ?? []);
	const ends = runs.map(({ startTime, executionTime }) => startTime + executionTime);
	return (Math.max(...ends) - Math.min(...runs.map(({ startTime }) => startTime))) / 1000;
}

/** How many of these people got no message, how many got more than one, and the greatest number of messages to one person. */
function countsOf({ sandbox }: Shop, people: Pick<Body, 'from' | 'count'>) {
	const sent = sandbox.state.messages.all.filter(({ direction }) => direction === 'outbound');
	const times = countBy(sent, 'phone');
	const counts = numbersOf(people).map((number) => times[number] ?? 0);
	return {
		lost: counts.filter((received) => received === 0).length,
		doubled: counts.filter((received) => received > 1).length,
		most: Math.max(...counts),
	};
}
