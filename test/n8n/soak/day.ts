/** The activity of the shop: campaigns and previews, customers who write, questions, contact syncs, and a user of the editor. */
import { setTimeout as delay } from 'node:timers/promises';
import isEqual from 'lodash/isEqual';
import range from 'lodash/range';
import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';
import { UserError } from '../../../harness/cli';
import { type Execution, outputOf } from '../../../harness/n8n/client';
import { ACTION as ACTION_TYPE } from '../../../harness/n8n/workflow';
import { numbersOf } from '../../../harness/sandboxClient';
import { until } from '../../../harness/until';
import {
	ACTION,
	type Body,
	ofStart,
	OPTED_OUT,
	QUESTION_MINUTES,
	patiently,
	type Shop,
	START,
	type Workflows,
} from './shop';
import type { Mailing } from './mailing';
import { isStop, phonesOptedOut, STOP } from './recordTruth';
import type { Truth } from './truth';

/** How often a run is started again until everybody has a message. */
const MAX_RUNS = 20;
/** The first numbers of people who are asked, and of synced contacts, counted from the first customer's number. */
const ASKED_FROM = 100_000;
const SYNCED_FROM = 900_000;
const SILENT_FROM = 1_500_000;
const ASK_LIMIT = 5 * 60_000;

/** If more deliveries than this are open, nobody writes and no campaign begins, so that a slow machine can catch up. */
const MAX_PENDING = 100;

const sendText = { resource: 'message', operation: 'sendText' };
const upsert = { resource: 'contact', operation: 'upsert' };
const campaign = {
	...sendText,
	to: '={{ $json.to }}',
	sendOnce: true,
	campaign: ofStart('text'),
	text: ofStart('text'),
	audienceRules: {
		duplicates: 'sendFirst',
		excludeSegment: OPTED_OUT,
		allowEmptyList: true,
		excludeNumbers: ofStart('excluded'),
	},
};
const segments = [{ name: 'segments', type: 'json', value: JSON.stringify([OPTED_OUT]) }];

export const workflows: Workflows = {
	started: {
		campaign,
		preview: { ...campaign, mode: 'preview' },
		ask: {
			resource: 'message',
			operation: 'sendAndWait',
			to: '={{ $json.to }}',
			message: ofStart('text'),
			// Even if n8n loses a reply while it starts, the run must end.
			limitWaitTime: `={{ $('${START}').first().json.body.minutes ?? ${QUESTION_MINUTES} }}`,
			waitTimeUnit: 'minutes',
		},
		sync: { ...upsert, phone: '={{ $json.to }}', name: ofStart('text') },
	},
	triggered: {
		autoReply: {
			trigger: { keepReplies: true, options: { groupMessages: 2 } },
			records: true,
			action: { ...sendText, to: '={{ $json.from }}', text: 'Thank you, we will answer soon.' },
		},
		receipts: {
			trigger: {
				events: ['message.delivered', 'message.failed'],
				options: { batchReceipts: true },
			},
			records: true,
		},
		optOuts: {
			trigger: { filters: { intent: 'optOut' } },
			action: {
				...upsert,
				phone: '={{ $json.from }}',
				additionalFields: { field: segments },
			},
		},
	},
};

/** How busy the day is. */
export interface Pace {
	/** People of the largest campaign and of the largest question. */
	campaign: number;
	question: number;
}

/**
 * Runs until the shop is closed, and returns when everything that has begun is finished.
 *
 * @throws Error for anything that cannot be finished
 */
export async function liveThroughDay(shop: Shop, truth: Truth, pace: Pace): Promise<void> {
	answerQuestions(shop);
	const pick = await openPicker(shop);
	const activities = [
		endless(shop, 2_000, async (round) => await sendCampaign(shop, truth, round, pace)),
		endless(shop, 20_000, async (round) => await ask(shop, truth, round, pace)),
		endless(shop, 40_000, async (round) => await sync(shop, truth, round)),
		endless(shop, 5_000, pick),
		endless(shop, 3_000, async () => await write(shop, truth, pace)),
	];
	await Promise.all(activities);
}

/** @param pause the longest pause between two rounds, ms */
async function endless(shop: Shop, pause: number, round: (number: number) => Promise<void>) {
	for (let number = 1; !shop.isOver; number++) {
		await round(number);
		await delay(shop.random(pause));
	}
}

const isInSegment = ({ sandbox: { state } }: Shop, phone: string) =>
	state.contacts.findByPhone(phone)?.segments.includes(OPTED_OUT) === true;

const hasWrittenStop = ({ sandbox: { state } }: Shop, phone: string) =>
	state.messages.withCustomer(phone).some(isStop);

/** Sends a campaign, with a preview first for each third one. Repeats the run until nobody is left who certainly got no message. */
async function sendCampaign(shop: Shop, truth: Truth, round: number, pace: Pace): Promise<void> {
	while (truth.pending.size > MAX_PENDING && !shop.isOver) await delay(1000);
	const count = between(shop, Math.min(200, pace.campaign), pace.campaign);
	const people = { from: 0, count, repeats: Math.floor(count / 20) };
	const excluded = numbersOf({ from: shop.random(count), count: 3 });
	const body = { ...people, excluded: excluded.join(', ') };
	if (round % 3 === 0) await mail(shop, truth, 'preview', { ...body, text: `Preview ${round}` });
	await mail(shop, truth, 'campaign', { ...body, text: `Sale ${round}` });
}

async function mail(shop: Shop, truth: Truth, kind: 'campaign' | 'preview', body: Body) {
	const excluded = body.excluded?.split(', ') ?? [];
	const everybody = numbersOf(body).filter((phone) => !excluded.includes(phone));
	const listed = new Set(await phonesOptedOut(shop));
	const isOut = (phone: string) => listed.has(phone) || isInSegment(shop, phone);
	const wanted = new Set(everybody.filter((phone) => !isOut(phone)));
	const mailing = begin(truth, kind, body.text, wanted);
	const isNamed = kind === 'preview' ? 'preview' : 'mayHaveBeenSent';
	await runUntil(shop, kind, body, (executions) => {
		const items = executions.flatMap(itemsOf);
		for (const item of items) if (statusOf(item) === isNamed) mailing.named.add(String(item.to));
		const isDone = executions.some(({ status }) => status === 'success');
		return isDone && items.every((item) => statusOf(item) !== 'notSent');
	});
	for (const phone of wanted) {
		if (!isInSegment(shop, phone) && !hasWrittenStop(shop, phone)) continue;
		wanted.delete(phone);
		mailing.named.delete(phone);
		mailing.either.add(phone);
	}
	mailing.state = 'ended';
}

/** Runs a workflow again and again, as a person would, until everything is done. */
async function runUntil(
	shop: Shop,
	name: string,
	body: Body,
	isDone: (executions: Execution[]) => boolean,
): Promise<void> {
	for (let runs = 1; !isDone(await shop.run(name, body)); runs++)
		if (runs === MAX_RUNS) throw new UserError(`"${body.text}" is not done after ${runs} runs.`);
}

function begin(truth: Truth, kind: Mailing['kind'], text: string, wanted: Set<string>): Mailing {
	const mailing: Mailing = {
		...{ kind, text, wanted },
		...{ either: new Set(), named: new Set(), executions: [], state: 'running' },
	};
	truth.mailings.push(mailing);
	return mailing;
}

const itemsOf = (execution: Execution): IDataObject[] =>
	outputOf(execution, ACTION).map(({ json }) => json);

/** The result of an item's message. */
function statusOf({ reason, sendStatus, error }: IDataObject): unknown {
	if (reason === 'mayHaveBeenSent') return reason;
	return (error as IDataObject | undefined)?.sendStatus ?? sendStatus;
}

/** Asks only people who were never asked before, to avoid two open questions to one person. */
async function ask(shop: Shop, truth: Truth, round: number, pace: Pace): Promise<void> {
	const count = between(shop, Math.min(10, pace.question), pace.question);
	const body = { text: `Question ${round}`, from: ASKED_FROM + round * 1000, count };
	const mailing = begin(truth, 'question', body.text, new Set(numbersOf(body)));
	const executions = await shop.run('ask', body);
	truth.note(mailing, executions);
}

/** Asks people who never reply, with this time limit in minutes. @returns the end of the question, once all are asked */
export async function askForNothing(
	shop: Shop,
	truth: Truth,
	people: { count: number; minutes: number },
): Promise<{ ended: Promise<void> }> {
	const body = { text: 'Survey', from: SILENT_FROM, ...people };
	const mailing = begin(truth, 'question', body.text, new Set(numbersOf(body)));
	// Questions that are asked meanwhile are executions of the same workflow.
	const ended = shop.run('ask', body).then(([first]) => truth.note(mailing, [first]));
	const { id } = shop.places.ask;
	const isWaiting = async () => (await shop.executions(id, 0, "AND status = 'waiting'")).length > 0;
	await until('everybody to be asked', isWaiting, { limit: ASK_LIMIT, interval: 500 });
	return { ended };
}

/** Lets everybody who is asked reply: half of them at once, the others within half a minute. */
function answerQuestions(shop: Shop): void {
	const { changes, state } = shop.sandbox;
	changes.on('message', ({ direction, status, text, phone: from }) => {
		if (direction !== 'outbound' || status !== 'accepted' || !text.startsWith('Question')) return;
		const wait = shop.random(2) === 0 ? 0 : shop.random(30_000);
		setTimeout(() => state.traffic.receive({ from, text: `Answer to ${text}` }), wait);
	});
}

/** A customer writes up to three messages in a row, which may be delivered in another order; or a customer opts out of campaigns. */
async function write(shop: Shop, truth: Truth, pace: Pace): Promise<void> {
	if (truth.pending.size > MAX_PENDING) return;
	const { messages, deliveries } = shop.sandbox.state;
	const [phone] = numbersOf({ from: shop.random(pace.campaign), count: 1 });
	const texts = shop.random(30) === 0 ? [STOP] : range(1 + shop.random(3)).map((n) => `Hello ${n}`);
	const written = texts.map((text) => messages.add({ phone, text, direction: 'inbound' }));
	const order = shop.random(5) === 0 ? sortBy(written, () => shop.random(1000)) : written;
	for (const { id, text, createdAt: timestamp } of order) {
		deliveries.publish('message.received', { id, from: phone, text, timestamp });
		await delay(shop.random(200));
	}
}

/** Saves contacts until each has its name of this round. */
async function sync(shop: Shop, truth: Truth, round: number): Promise<void> {
	const body = {
		text: `Customer of sync ${round}`,
		from: SYNCED_FROM,
		count: between(shop, 20, 300),
	};
	await runUntil(shop, 'sync', body, (executions) => {
		const isDone = executions.every(({ status }) => status === 'success');
		return isDone && executions.flatMap(itemsOf).every(({ error }) => !error);
	});
	for (const phone of numbersOf(body)) truth.contacts.set(phone, body.text);
}

/** Opens the list of templates. The result must be the whole list or an error, never a part of it. */
async function openPicker(shop: Shop): Promise<() => Promise<void>> {
	const look = async () =>
		await shop.machine.main.client.call<{ results: unknown[] }>(
			'POST',
			'/rest/dynamic-node-parameters/resource-locator-results',
			{
				path: 'parameters.template',
				methodName: 'searchTemplateNames',
				nodeTypeAndVersion: { name: ACTION_TYPE, version: 1 },
				currentNodeParameters: { resource: 'message', operation: 'sendTemplate' },
				credentials: { businessMessagingApi: { id: shop.credential, name: 'Service' } },
			},
		);
	const { results: expected } = await patiently(look);
	return async () => {
		const { results } = await look().catch(() => ({ results: expected }));
		if (isEqual(results, expected)) return;
		throw new UserError(`A list of templates is wrong: ${JSON.stringify(results)}.`);
	};
}

/** A random number on a logarithmic scale: each doubling is as likely as the next. */
function between(shop: Shop, least: number, most: number): number {
	return Math.round(least * (most / least) ** (shop.random(1001) / 1000));
}
