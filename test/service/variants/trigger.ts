/** What the trigger has to do in every variant of the service: register once, start once for each event, and leave nothing behind. */
import type { INodeParameters } from 'n8n-workflow';

import type { Trigger } from '../../../harness/engine/trigger';
import { until } from '../../../harness/until';
import type { VariantEnvironment } from './variantEnvironment';

const parameters: INodeParameters = {
	events: ['message.received', 'message.delivered', 'message.read'],
};
const from = '+15550004001';
let made = 0;

/** Why the trigger cannot register itself; undefined if it can. */
function problemOf(environment: VariantEnvironment): string | undefined {
	const isHidden = ['no-query', 'masked', 'hidden'].includes(environment.choice['webhook-listing']);
	const problem = environment.webhookProblem(true);
	if (!isHidden) return problem;
	return problem
		? `(${problem}|does not show the complete addresses)`
		: 'does not show the complete addresses';
}

/**
 * A trigger that registers itself, and then keeps the replies, if the service allows it; otherwise it is registered by
 * hand, as the error advises.
 */
async function activate(environment: VariantEnvironment): Promise<Trigger> {
	const trigger = await make(environment, { ...parameters, keepReplies: true });
	const problem = problemOf(environment);
	if (!problem) {
		await trigger.activate();
		return trigger;
	}
	await expect(trigger.activate()).rejects.toThrow(new RegExp(`${problem}.*Manual.*by hand`));
	const manual = await make(environment, { ...parameters, options: { registration: 'manual' } });
	await manual.activate();
	environment.state.webhooks.create({ url: manual.url });
	return manual;
}

async function make(
	{ engine, credentials }: VariantEnvironment,
	own: INodeParameters,
): Promise<Trigger> {
	const id = `variants-${++made}`;
	return await engine.trigger({ credentials, parameters: own, workflowId: id, webhookId: id });
}

/** Runs a trigger through its life. */
export async function checkTrigger(environment: VariantEnvironment): Promise<void> {
	environment.state.webhooks.all.length = 0; // the service must not deliver to other addresses
	const trigger = await activate(environment);
	const own = () => environment.state.webhooks.all.filter(({ url }) => url.startsWith(trigger.url));
	expect(own()).toHaveLength(1);

	await checkEvents(environment, trigger);

	await trigger.activate('init');
	expect(own()).toHaveLength(1);
	const problem = problemOf(environment);
	if (!problem) await checkReplies(environment);
	await trigger.deactivate();
	expect(own()).toHaveLength(problem ? 1 : 0);
}

/** Asks two people; their replies must reach the run. */
async function checkReplies(environment: VariantEnvironment): Promise<void> {
	const { engine, credentials, state } = environment;
	const people = ['+15550003101', '+15550003102'];
	const question = {
		parameters: {
			...{ resource: 'message', operation: 'sendAndWait' },
			...{ message: 'Tuesday?', to: '={{ $json.phone }}' },
		},
		items: people.map((phone) => ({ phone })),
		credentials,
	};
	const execution = await engine.runUntilWaiting(question);
	for (const phone of people) state.traffic.receive({ from: phone, text: `Yes from ${phone}` });
	await until('the replies', () => execution.outputs);
	const replies = execution.outputs?.flat().map(({ json }) => json.text);
	expect(replies).toEqual(people.map((phone) => `Yes from ${phone}`));
}

async function checkEvents(environment: VariantEnvironment, trigger: Trigger): Promise<void> {
	const { state } = environment;
	const { log } = state.deliveries;
	const arrive = async () =>
		await until('the deliveries', () => log.last().every(({ state }) => state !== 'pending'));

	state.traffic.receive({ from, text: 'Hello' });
	await arrive();
	const [sent] = await environment.gives({
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
	if (environment.answersMessageId)
		expect(state.adapter.idOf(sent.json.messageId)).toBe(message.id);
	const messageId = environment.answersMessageId ? sent.json.messageId : expect.any(String);
	const events = trigger.executions.flatMap(({ items }) => items[0].map(({ json }) => json));
	expect(events).toMatchObject([
		{
			...{ event: 'message.received', from, text: 'Hello' },
			...{ messageId: expect.any(String), time: expect.anything() },
		},
		{ event: 'message.delivered', messageId },
		{ event: 'message.read', messageId },
	]);
}
