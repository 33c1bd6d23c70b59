/** Comparisons of deliveries. */
import range from 'lodash/range';
import { node } from '../../harness/n8n/workflow';
import { numbersOf } from '../../harness/sandboxClient';
import { until } from '../../harness/until';
import { bodyOf, post, publish, receiptsOf, trigger } from '../trigger';
import type { Comparison } from './comparison';
import type { Span } from './measure';
import { peopleNodes, type Stage } from './stage';

const WARM_UP = 20;
const ASK_LIMIT = 15 * 60_000;
const batched = trigger({
	events: ['message.sent', 'message.delivered', 'message.read'],
	options: { batchReceipts: true },
});
/** Starts nothing for the messages that are measured, so that n8n's time for an execution does not hide the trigger's. */
const quiet = trigger({ filters: { intent: 'optOut' } });
/** n8n's own, which refuses everybody: what n8n needs for a delivery at least. */
const refusing = () =>
	node('Trigger', 'n8n-nodes-base.webhook', 2.1, {
		httpMethod: 'POST',
		options: { ipWhitelist: '192.0.2.1' },
	});

/** Receipts of messages that no other call names. */
let messages = 0;
function nextReceipts(count: number): string[] {
	messages += count;
	return receiptsOf(count, messages);
}

/** Messages of people who were not asked. */
const chatter = (count: number) =>
	range(count).map((index) => {
		const [from] = numbersOf({ from: 2_000_000 + index, count: 1 });
		return bodyOf('received', {
			id: `msg_${messages++}_${index}`,
			from,
			text: 'When do you open?',
		});
	});

/** A run that delivers. @param bodies made anew for each */
const delivering =
	(url: string, bodies: () => string[], status = 200) =>
	async (): Promise<Span> => {
		const all = bodies();
		const from = Date.now();
		await post(url, all, status);
		return { from, to: Date.now() };
	};

/** Publishes a trigger, and delivers a few. */
async function warm(
	stage: Stage,
	make: typeof batched,
	bodies: (count: number) => string[],
	status = 200,
) {
	const { url } = await publish(stage.n8n, stage.service, make);
	await post(url, bodies(WARM_UP), status);
	return url;
}

/** Asks so many people, and returns when all have been asked. */
async function ask(stage: Stage, count: number): Promise<void> {
	const { client } = stage.n8n;
	const parameters = {
		...{ resource: 'message', operation: 'sendAndWait', to: '={{ $json.to }}' },
		...{ message: 'Will you come?', limitWaitTime: 2, waitTimeUnit: 'hours' },
	};
	const id = await stage.action(peopleNodes('People', { count }), parameters);
	await client.run(id, 'Start');
	const isWaiting = async () => (await client.listExecutions(id, 1))[0]?.status === 'waiting';
	await until('everybody to be asked', isWaiting, { limit: ASK_LIMIT, interval: 500 });
}

export const receivingComparisons: Comparison[] = [
	{
		name: 'remembered',
		what: 'receipts at a trigger that remembers so many events – at a new one',
		sizes: [5_000],
		quickSizes: [600],
		prepare: async (stage, events, isQuick) => {
			const bodies = () => nextReceipts(isQuick ? 40 : 200);
			const url = await warm(stage, batched, nextReceipts);
			await post(url, nextReceipts(Math.ceil(events / 3)));
			const fresh = await warm(stage, batched, nextReceipts);
			return { with: delivering(url, bodies), without: delivering(fresh, bodies) };
		},
	},
	{
		name: 'questions',
		what: 'messages at a trigger while so many people are asked – while nobody is',
		sizes: [2_000],
		quickSizes: [200],
		rounds: 1, // once asked, they stay asked
		prepare: async (stage, people, isQuick) => {
			const bodies = () => chatter(isQuick ? 60 : 300);
			const url = await warm(stage, quiet, chatter);
			const run = delivering(url, bodies);
			const asked = async () => {
				await ask(stage, people);
				return await run();
			};
			return { with: asked, without: run };
		},
	},
	{
		name: 'receipts',
		what: 'three receipts of each of so many messages in batches – as many deliveries that n8n refuses',
		sizes: [3_000],
		quickSizes: [100],
		rounds: 1,
		prepare: async (stage, count) => {
			const ours = await warm(stage, batched, nextReceipts);
			const bare = await warm(stage, refusing, nextReceipts, 403);
			const bodies = () => nextReceipts(count);
			return { with: delivering(ours, bodies), without: delivering(bare, bodies, 403) };
		},
	},
];
