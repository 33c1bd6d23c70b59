/** What the trigger has to do whatever the service is like: register once, start once for each event, and leave nothing behind. */
import type { INodeParameters } from 'n8n-workflow';

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
	const id = `variants-${++made}`;
	const { credentials } = stage;
	const options = { credentials, parameters: own, workflowId: id, webhookId: id };
	return await stage.engine.trigger(options);
}

/** Runs a trigger through its life. */
export async function checkTrigger(stage: Stage): Promise<void> {
	stage.state.webhooks.all.length = 0; // nothing goes to addresses of others
	const trigger = await activate(stage);
	const own = () => stage.state.webhooks.all.filter(({ url }) => url.startsWith(trigger.url));
	expect(own()).toHaveLength(1);

	await checkEvents(stage, trigger);
	if (!stage.webhookProblem(true)) await checkMistype(stage);

	await trigger.activate('init');
	expect(own()).toHaveLength(1);
	await trigger.deactivate();
	expect(own()).toHaveLength(stage.webhookProblem(true) ? 1 : 0);
}

/** A mistyped event is refused by a service that knows its events, and nothing is registered then. */
async function checkMistype(stage: Stage): Promise<void> {
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
	const { log } = state.deliveries;
	const arrive = async () =>
		await until('the deliveries', () => log.last().every(({ state }) => state !== 'pending'));

	state.traffic.receive({ from, text: 'Hello' });
	await arrive();
	const [sent] = await stage.gives({
		...{ resource: 'message', operation: 'sendText' },
		...{ to: from, text: 'Hi' },
	});
	const [message] = state.messages.all.slice(-1);
	for (const status of ['sent', 'delivered', 'read'] as const) {
		state.traffic.setStatus(message, status);
		await arrive();
	}
	const [webhook] = state.webhooks.all.filter(({ url }) => url.startsWith(trigger.url));
	const [{ event, data }] = log.last(1);
	state.deliveries.deliver(webhook, event, data); // again, as after a lost response
	await arrive();

	expect(log.last().map((delivery) => delivery.state)).not.toContain('failed');
	const messageId = stage.answersRecord ? sent.json.messageId : expect.any(String);
	const events = trigger.executions.flatMap(({ items }) => items[0].map(({ json }) => json));
	expect(events.slice(0, 3)).toMatchObject([
		{ event: 'message.received', from, text: 'Hello', messageId: expect.any(String) },
		{ event: 'message.delivered', messageId },
		{ event: 'message.read', messageId },
	]);
	// Without a time in the payload, the fields beside it distinguish events; here they change with each delivery.
	const isAnother = choice['event-envelope'] === 'extended' && choice['time-format'] === 'absent';
	expect(events).toHaveLength(isAnother ? 4 : 3);
}
