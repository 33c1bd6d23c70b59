/** Replies that can no longer reach their run: which workflows they start. */
import { until } from '../../../harness/until';
import { Triggers, useLog, useService } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import { People, anna, berta, carl, startedBy } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const logged = useLog(service, 'businessMessagingTrigger', 'webhook');

const invoicesOnly = {
	keepReplies: true,
	filters: { firstWords: 'invoice', onlyRunIf: '={{ $json.body.data.text.length > 3 }}' },
};

/** Whether no late reply is left. */
const isLateDone = ({ staticData }: Trigger) =>
	!('late' in ((staticData['inbox of id of Trigger'] ?? {}) as object));

/** The first trigger is the inbox. Three people are asked, two of whom reply before the run is stopped, and n8n restarts. */
async function stopAndRestart(options: object[]): Promise<Trigger[]> {
	const before: Trigger[] = [];
	for (const one of options) before.push(await triggers.active(one));
	const execution = await people.ask([anna, berta, carl]);
	await people.write(anna, 'Yes');
	await people.write(berta, 'Invoice, please');
	execution.stop();
	const after: Trigger[] = [];
	for (const [index, one] of options.entries())
		after.push(await triggers.active({ ...one, staticData: before[index].staticData }));
	await people.write(carl, 'Hello');
	await until(
		'the run to be forgotten',
		() => people.storedBy(after[0]).length === 0 && isLateDone(after[0]),
	);
	return after;
}

test('late replies start only the workflow of the inbox', async () => {
	const [all, others] = await stopAndRestart([
		{ webhookId: 'all', parameters: { keepReplies: true } },
		{ webhookId: 'others' },
	]);
	const texts = all.executions.flatMap(({ items }) => items[0].map(({ json }) => json.text));
	expect(texts.sort()).toEqual(['Hello', 'Invoice, please', 'Yes']);
	expect(logged.join('')).not.toContain('do not let them pass');
	expect(startedBy(others)).toEqual(['Hello']);
});

test('if a question is refused, no further one is sent, and replies to those that were sent are late', async () => {
	const inbox = await triggers.active({ webhookId: 'refused', parameters: { keepReplies: true } });
	service.fault({
		...{ endpoint: 'sendText', skip: 1, count: 1 },
		...{ status: 422, body: { message: 'no' }, delayMs: 1_000 },
	});
	const asking = people.ask([anna, berta, carl], { options: { concurrency: 1 } });
	const refusal = asking.then(
		() => 'not refused',
		(error: Error) => error.message,
	);
	await people.untilAsked(anna);
	await people.write(anna, 'Yes');
	expect(await refusal).toContain('no');
	await until('the late reply', () => startedBy(inbox).length > 0);
	expect(startedBy(inbox)).toEqual(['Yes']);
	expect(Object.keys(service.received())).toEqual([anna]);
});

test('late replies are as the service would send them if Simplify is off', async () => {
	const [all] = await stopAndRestart([
		{ parameters: { simplify: false, keepReplies: true }, webhookId: 'whole' },
	]);
	const items = all.executions.flatMap(({ items: [first] }) => first.map(({ json }) => json));
	const late = items.filter((json) => json.late === true);
	expect(late.map(({ data }) => data)).toMatchObject([{ from: anna }, { from: berta }]);
});

test('late replies of which none passes the filters start nothing, and are forgotten', async () => {
	const parameters = { filters: { firstWords: 'order' }, keepReplies: true };
	const [orders] = await stopAndRestart([{ parameters, webhookId: 'orders' }]);
	expect(startedBy(orders)).toEqual([]);
	expect(logged.join('')).toMatch(/too late for Send and Wait: 2\. The filters/);
});

test('late replies that do not pass the filters of the only trigger start nothing, and the log says so', async () => {
	const [invoices] = await stopAndRestart([{ parameters: invoicesOnly, webhookId: 'invoices' }]);
	expect(startedBy(invoices)).toEqual(['Invoice, please']);
	expect(logged.join('')).toMatch(/too late for Send and Wait: 1\. The filters/);
});

test('several late replies that n8n could not start the workflow with before a restart start it once each', async () => {
	const options = { webhookId: 'stored', parameters: { keepReplies: true } };
	const before = await triggers.active(options);
	before.storeExecution = async () => {
		throw new Error('The database is locked');
	};
	const execution = await people.ask([anna, berta, carl, '+15550001004']);
	const replies = [];
	for (const from of [anna, berta, carl]) replies.push(...(await people.write(from, `by ${from}`)));
	execution.stop();
	await people.write('+15550001004', 'Hello'); // so the inbox finds that the run is over
	await until('the late replies to be stored', () => !isLateDone(before));
	const { staticData } = before;
	await before.deactivate();
	const after = await triggers.make({ ...options, staticData });
	await after.activate('init');
	await until('the late replies', () => isLateDone(after) && after.executions.length > 0);
	await people.again(replies);
	const texts = after.executions.flatMap(({ items }) => items[0].map(({ json }) => json.text));
	expect(texts.filter((text) => text !== 'Hello').sort()).toEqual(
		[anna, berta, carl].map((from) => `by ${from}`),
	);
});
