/** What n8n has stored when the service gets 200: a crash after that loses no reply. */
import { setTimeout as delay } from 'node:timers/promises';
import type { INodeParameters } from 'n8n-workflow';

import { received, Triggers, useService } from '../../../harness/engine/service';
import type { Trigger, TriggerOptions } from '../../../harness/engine/trigger';
import { People, anna, berta, carl, jsonOf, startedBy } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const keepReplies = true;
const stranger = '+15550009999';
let count = 0;

const message = (text: string, from: string) =>
	received({ id: `${text}-${from}`, from, text, timestamp: new Date().toISOString() });

async function inbox(options: TriggerOptions = {}): Promise<Trigger> {
	const webhookId = `stored-${++count}`;
	return await triggers.active({ webhookId, parameters: { keepReplies }, ...options });
}

/** The trigger after n8n was killed: it knows only what n8n had stored at this moment. */
async function afterCrash(trigger: Trigger, parameters: INodeParameters = {}): Promise<Trigger> {
	const { webhookId } = trigger['options'];
	const { staticData } = trigger;
	const restarted = await triggers.make({
		...{ webhookId, staticData },
		parameters: { keepReplies, ...parameters },
	});
	await restarted.activate('init');
	return restarted;
}

/** The deliveries of one message to two triggers, in an order. */
type Order = (first: () => Promise<unknown>, second: () => Promise<unknown>) => Promise<unknown>;
const orders: Array<[string, Order]> = [
	['first', async (one, other) => [await one(), await other()]],
	['last', async (one, other) => [await other(), await one()]],
	['at the same moment', async (one, other) => await Promise.all([one(), other()])],
];

test.each(orders)(
	'a reply stays stored if another trigger is in the workflow of the inbox, and the inbox gets it %s',
	async (_, inOrder) => {
		const keeper = await inbox();
		const beside = await triggers.active({ webhookId: `stored-${++count}`, beside: keeper });
		const execution = await people.ask([anna, berta, carl]);
		const reply = message('yes', anna);
		await inOrder(
			async () => await triggers.deliver(keeper, reply),
			async () => await triggers.deliver(beside, reply),
		);
		await Promise.all(
			[message('and me', berta), message('Hello', stranger)].map(
				async (one) => await triggers.deliver(beside, one),
			),
		);
		expect(startedBy(beside)).toEqual(['Hello']);
		const restarted = await afterCrash(keeper);
		await beside.deactivate();
		await triggers.deliver(restarted, message('me too', carl));
		expect(await jsonOf(execution)).toMatchObject([
			...[{ text: 'yes' }, { text: 'and me' }, { text: 'me too' }],
		]);
	},
);

test.each([
	[
		'publishing another trigger of the workflow',
		async ({ beside }: Both) => await beside.activate(),
	],
	['unpublishing it', async ({ beside }: Both) => await beside.deactivate()],
	[
		'an ordinary message to it',
		async ({ beside }: Both) => await triggers.deliver(beside, message('Hello', stranger)),
	],
])('%s takes away nothing that the inbox has stored', async (_, act) => {
	const keeper = await inbox();
	const beside = await triggers.active({ webhookId: `stored-${++count}`, beside: keeper });
	const execution = await people.ask([anna, berta]);
	const older = keeper.staticData;
	await triggers.deliver(keeper, message('yes', anna));
	keeper.staticData = older; // an execution of the workflow writes back what it had read
	await act({ keeper, beside });
	const restarted = await afterCrash(keeper);
	await triggers.deliver(restarted, message('me too', berta));
	expect(await jsonOf(execution)).toMatchObject([{ text: 'yes' }, { text: 'me too' }]);
});

interface Both {
	keeper: Trigger;
	beside: Trigger;
}

test.each<[string, Array<[text: string, from: string]>]>([
	['alone', [['yes', anna]]],
	[
		'with a message of another person',
		[
			['yes', anna],
			['more', stranger],
		],
	],
	[
		'with messages of several people',
		[
			['yes', anna],
			['Hi', stranger],
			['Hi', carl],
		],
	],
	[
		'after another message',
		[
			['more', stranger],
			['yes', anna],
		],
	],
])('with Group Messages, a reply is stored before 200 if it is delivered %s', async (_, list) => {
	const options = { options: { groupMessages: 1 } };
	const keeper = await inbox({ parameters: { keepReplies, ...options } });
	const execution = await people.ask([anna, berta]);
	const waiting = triggers.deliver(keeper, message('first', stranger));
	await delay(100);
	const events = list.map(([text, from]) => message(text, from));
	expect((await triggers.deliver(keeper, events)).status).toBe(200);
	const restarted = await afterCrash(keeper, options);
	await waiting;
	await triggers.deliver(restarted, message('me too', berta));
	expect(await jsonOf(execution)).toMatchObject([{ text: 'yes' }, { text: 'me too' }]);
});

test('a question that was repeated before a crash is not sent again by a service that recognizes repeated requests', async () => {
	people.state.settings.recognizesIdempotencyKeys = true;
	const keeper = await inbox();
	const execution = await people.ask([anna], { responseType: 'number' });
	const older = keeper.staticData;
	const unclear = message('soon', anna);
	await triggers.deliver(keeper, unclear);
	keeper.staticData = older; // n8n was killed before it had stored the message
	const restarted = await afterCrash(keeper);
	await triggers.deliver(restarted, unclear);
	expect(service.requests('sendText')).toHaveLength(3);
	expect(service.sent()).toHaveLength(2);
	await triggers.deliver(restarted, message('7', anna));
	expect(await jsonOf(execution)).toMatchObject([{ answer: 7 }]);
});
