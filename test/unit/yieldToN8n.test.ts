/** Work on many things leaves the process to others now and then. */
import range from 'lodash/range';
import type { IExecuteFunctions } from 'n8n-workflow';

import { answering, clientOf } from '../../harness/engine/functionService';
import {
	applyAudienceRules,
	rememberRecipients,
} from '../../nodes/BusinessMessaging/execution/applyAudienceRules';
import { prepareDates } from '../../nodes/BusinessMessaging/inbox/readDate';
import { type ValidItem, skip } from '../../nodes/BusinessMessaging/execution/item';
import { toOutputs } from '../../nodes/BusinessMessaging/execution/itemOutput';
import { inQueues } from '../../nodes/BusinessMessaging/execution/keyedQueue';
import { previewItems } from '../../nodes/BusinessMessaging/execution/previewItems';
import type { Rounds } from '../../nodes/BusinessMessaging/execution/rounds';
import { mapInTurns } from '../../nodes/BusinessMessaging/yieldToN8n';
import { lookUpTemplates } from '../../nodes/BusinessMessaging/operations/sending/templateReview';
import { sendText } from '../../nodes/BusinessMessaging/operations/message/sendText';
import { readAudience } from '../../nodes/BusinessMessaging/operations/sending/audienceRules';

let now = 0;
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));

/** How often others had their turn during some work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
	let turns = 0;
	const others = setInterval(() => turns++, 0);
	await work();
	clearInterval(others);
	return turns;
}

test('work of five seconds leaves the process to others two hundred times, and the results keep their order', async () => {
	const numbers = range(1_000);
	let results: number[] = [];
	const turns = await turnsDuring(async () => {
		results = await mapInTurns(numbers, (number, index) => {
			now += 5;
			return number + index;
		});
	});
	expect(results).toEqual(numbers.map((number) => 2 * number));
	expect(turns).toBeGreaterThan(150);
});

/** An item that takes 5 ms whenever its request or a field of its input is read. */
const slow = (index: number): ValidItem => ({
	index,
	outcome: { records: [{ to: '+15550001000', sendStatus: 'sent' }] },
	input: {
		get n() {
			now += 5;
			return index;
		},
	},
	get request() {
		now += 5;
		const rules = { audience: {}, template: { name: 'a', language: 'en', given: [] } };
		return { body: { to: `+1555000${1000 + index}` }, rules } as unknown as ValidItem['request'];
	},
});
const context = {
	getNode: () => ({}),
	getNodeParameter: () => true, // Include Other Input Fields
} as unknown as IExecuteFunctions;
const queue = { keyOf: ({ index }: ValidItem) => String(index), concurrency: () => 1 };
const skipping = async (item: ValidItem) => void item.request;

/** Reads the audience rules of some messages, and applies them. */
async function sendTo(items: ValidItem[], audienceRules: { excludeNumbers: string }) {
	const rules = { audience: readAudience({ audienceRules, options: {} }, { defaultCountry: '' }) };
	const messages = items.map(({ index }) => {
		const request = { body: { to: '+15550001000' }, rules };
		return { index, input: {}, request };
	});
	const rounds = { hasEarlier: () => false } as unknown as Rounds;
	await applyAudienceRules(clientOf(answering({})).client, messages, rounds);
	expect(messages.map((message: ValidItem) => message.outcome)).toEqual(
		messages.map((message) => skip(message, 'excluded')),
	);
}

test.each<[string, (items: ValidItem[]) => Promise<unknown>]>([
	[
		'previews',
		async (items) => {
			for (const item of items) item.outcome = undefined;
			await previewItems(items, undefined);
		},
	],
	['outputs with the fields of the input', async (all) => await toOutputs(context, sendText, all)],
	[
		'recipients that are remembered',
		async (items) => await rememberRecipients(items, { add: () => {} } as unknown as Rounds),
	],
	[
		'items that are skipped one after the other',
		async (items) => await inQueues(items, { ...queue, isStopped: () => false }, skipping),
	],
	[
		'excluded numbers',
		async (items) => {
			jest.spyOn(performance, 'now').mockImplementation(() => (now += 5)); // each number takes 5 ms
			const excludeNumbers = range(1_000).map((n) => `+1555000${1000 + n}`);
			await sendTo(items.slice(0, 3), { excludeNumbers: excludeNumbers.join() });
		},
	],
	[
		'comparisons with the cached templates',
		async (items) => {
			const requests = items.map((item) => ({
				get rules() {
					return item.request.rules;
				},
			}));
			const body = { data: [{ name: 'a', language: 'en' }] };
			await lookUpTemplates(clientOf(answering({ body })).client, requests);
		},
	],
])('1,000 %s leave the process to others, too', async (_, work) => {
	const items = range(1_000).map(slow);
	expect(await turnsDuring(async () => await work(items))).toBeGreaterThan(150);
});

test('the words of dates in all languages are collected in turns', async () => {
	const { RelativeTimeFormat } = Intl;
	jest.spyOn(Intl, 'RelativeTimeFormat').mockImplementation((...language) => {
		now += 30;
		return new RelativeTimeFormat(...language);
	});
	expect(await turnsDuring(prepareDates)).toBeGreaterThan(10);
});
