/** Comparisons of deliveries. */
import range from 'lodash/range';
import { numbersOf } from '../../harness/sandboxClient';
import { until } from '../../harness/until';
import { bodyOf, post, publish, receiptsOf, trigger } from '../trigger';
import type { Comparison } from './comparison';
import type { Span } from './measure';
import { peopleNodes, type BenchEnvironment } from './benchEnvironment';

const WARM_UP = 20;
const ASK_LIMIT = 15 * 60_000;
const batched = trigger({
	events: ['message.sent', 'message.delivered', 'message.read'],
	options: { batchReceipts: true },
});
/**
 * A trigger that keeps the replies, and starts nothing for the measured messages, so that the time that n8n needs for an execution does not
 * hide the trigger's time.
 */
const quietInbox = trigger({ filters: { intent: 'optOut' }, keepReplies: true });
/** A trigger that ignores what is delivered. This shows the least time that n8n needs for a delivery to a community trigger. */
const ignoring = trigger({ events: ['message.failed'] });

/** Counts messages, so that each call creates receipts of new ones. */
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

/** A run that delivers. @param bodies creates new bodies for each run */
const delivering = (url: string, bodies: () => string[]) => async (): Promise<Span> => {
	const all = bodies();
	const from = Date.now();
	await post(url, all);
	return { from, to: Date.now() };
};

/** Publishes a trigger and delivers a few events, so that n8n has loaded everything. */
async function warm(
	environment: BenchEnvironment,
	make: typeof batched,
	bodies: (count: number) => string[],
) {
	const { url } = await publish(environment.n8n, environment.service, make);
	await post(url, bodies(WARM_UP));
	return url;
}

/** Asks this number of people, and returns when all were asked. */
async function ask(environment: BenchEnvironment, count: number): Promise<void> {
	const { client } = environment.n8n;
	const parameters = {
		...{ resource: 'message', operation: 'sendAndWait', to: '={{ $json.to }}' },
		...{ message: 'Will you come?', limitWaitTime: 2, waitTimeUnit: 'hours' },
	};
	const id = await environment.action(peopleNodes('People', { count }), parameters);
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
		prepare: async (environment, events, isQuick) => {
			const bodies = () => nextReceipts(isQuick ? 40 : 200);
			const url = await warm(environment, batched, nextReceipts);
			await post(url, nextReceipts(Math.ceil(events / 3)));
			const fresh = await warm(environment, batched, nextReceipts);
			return { with: delivering(url, bodies), without: delivering(fresh, bodies) };
		},
	},
	{
		name: 'questions',
		what: 'messages at a trigger while so many people are asked – while nobody is',
		sizes: [2_000],
		quickSizes: [200],
		rounds: 1, // people who were asked once stay asked
		prepare: async (environment, people, isQuick) => {
			const bodies = () => chatter(isQuick ? 60 : 300);
			const url = await warm(environment, quietInbox, chatter);
			const run = delivering(url, bodies);
			const asked = async () => {
				await ask(environment, people);
				return await run();
			};
			return { with: asked, without: run };
		},
	},
	{
		name: 'receipts',
		what: "three receipts of each of so many messages in batches – as many that a trigger ignores, which is n8n's own limit",
		sizes: [3_000],
		quickSizes: [100],
		rounds: 1,
		prepare: async (environment, count) => {
			const ours = await warm(environment, batched, nextReceipts);
			const bare = await warm(environment, ignoring, nextReceipts);
			const bodies = () => nextReceipts(count);
			return { with: delivering(ours, bodies), without: delivering(bare, bodies) };
		},
	},
];
