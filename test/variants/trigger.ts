/** What the trigger has to do whatever the service is like: register once, start once for each event, and leave nothing behind. */
import type { INodeParameters } from 'n8n-workflow';

import type { Message } from '../../sandbox/state/messages';
import type { Trigger } from '../support/trigger';
import { until } from '../../tools/until';
import type { Stage } from './stage';

const parameters: INodeParameters = {
	events: ['message.received', 'message.delivered', 'message.read'],
};
const from = '+15550004001';
let made = 0;

/** A trigger that registers itself if the service allows it; otherwise it is registered by hand, as the error advises. */
async function activate(stage: Stage): Promise<Trigger> {
	const trigger = await make(stage, parameters);
	const problem = stage.webhookProblem(true);
	if (!problem) {
		await trigger.activate();
		return trigger;
	}
	await expect(trigger.activate()).rejects.toThrow(new RegExp(`${problem}.*Manual.*by hand`));
	const manual = await make(stage, { ...parameters, options: { registration: 'manual' } });
	await manual.activate();
	stage.state.webhooks.create({ url: manual.url });
	return manual;
}

async function make(stage: Stage, own: INodeParameters): Promise<Trigger> {
	const id = `variants ${++made}`;
	return await stage.engine.trigger({
		credentials: stage.credentials,
		parameters: own,
		workflowId: id,
		webhookId: id.replace(' ', '-'),
	});
}

/** The events that have started executions, in order. */
function eventsOf({ executions }: Trigger) {
	return executions.flatMap(({ items }) => items[0].map(({ json }) => json));
}

/** Runs a trigger through its life. */
export async function checkTrigger(stage: Stage): Promise<void> {
	const { state } = stage;
	for (const { id } of [...state.webhooks.all]) state.webhooks.delete(id); // nothing goes to addresses of others
	const trigger = await activate(stage);
	const own = () => state.webhooks.all.filter(({ url }) => url.startsWith(trigger.url));
	expect(own()).toHaveLength(1);

	await checkEvents(stage, trigger);
	await checkMistype(stage);

	await trigger.activate('init');
	expect(own()).toHaveLength(1);
	await trigger.deactivate();
	expect(own()).toHaveLength(stage.webhookProblem(true) ? 1 : 0);
}

/** A mistyped event is refused by a service that knows its events, and nothing is registered then. */
async function checkMistype(stage: Stage): Promise<void> {
	if (stage.webhookProblem(true)) return;
	const mistyped = 'mesage.received';
	const trigger = await make(stage, { events: [], options: { otherEvents: mistyped } });
	const own = () => stage.state.webhooks.all.filter(({ url }) => url.startsWith(trigger.url));
	if (stage.choice['event-names'] === 'known') {
		await expect(trigger.activate()).rejects.toThrow(`There is no event ${mistyped}`);
		expect(own()).toEqual([]);
		return;
	}
	await trigger.activate();
	expect(own()).toEqual([expect.objectContaining({ events: [mistyped] })]);
	await trigger.deactivate();
}

async function checkEvents(stage: Stage, trigger: Trigger): Promise<void> {
	const { state, choice } = stage;
	const arrive = async () =>
		await until('the deliveries', () =>
			state.deliveries.log.last().every((delivery) => delivery.state !== 'pending'),
		);

	state.traffic.receive({ from, text: 'Hello' });
	await arrive();
	const [sent] = await stage.gives({
		resource: 'message',
		operation: 'sendText',
		to: from,
		text: 'Hi',
	});
	const message = state.messages.all.at(-1) as Message;
	for (const status of ['sent', 'delivered', 'read'] as const) {
		state.traffic.setStatus(message, status);
		await arrive();
	}
	const [webhook] = state.webhooks.all.filter(({ url }) => url.startsWith(trigger.url));
	const { event, data } = state.deliveries.log.last().at(-1) as {
		event: string;
		data: Record<string, unknown>;
	};
	state.deliveries.deliver(webhook, event, data); // again, as after a lost response
	await arrive();

	expect(state.deliveries.log.last().map((delivery) => delivery.state)).not.toContain('failed');
	const messageId = stage.answersRecord ? sent.json.messageId : expect.any(String);
	expect(eventsOf(trigger).slice(0, 3)).toEqual([
		expect.objectContaining({
			event: 'message.received',
			from,
			text: 'Hello',
			messageId: expect.any(String),
		}),
		expect.objectContaining({ event: 'message.delivered', messageId }),
		expect.objectContaining({ event: 'message.read', messageId }),
	]);
	// Without a time in the payload, the fields beside it distinguish events; here they change with each delivery.
	const isAnother = choice['event-envelope'] === 'extended' && choice['time-format'] === 'absent';
	expect(eventsOf(trigger)).toHaveLength(isAnother ? 4 : 3);
}
