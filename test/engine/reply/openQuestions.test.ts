/** Who was asked and has answered while executions wait, and the end of the wait for one person. */
import { range, uniqBy } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { Triggers, useService } from '../../../harness/engine/service';
import { People, anna, berta, carl, jsonOf, startedBy } from './support';
import { WaitingRun } from './waitingRun';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
let count = 0;

/** An inbox under another ID. */
const publish = async () =>
	await triggers.active({ webhookId: `open-${++count}`, parameters: { keepReplies: true } });

/** Runs an operation on the questions in another execution. */
async function run(
	operation: string,
	parameters: INodeParameters,
	items: object[] = [{}],
	more: object = {},
) {
	const baseUrl = new URL((await triggers.make()).url).origin;
	const all = { resource: 'message', operation, ...parameters };
	return await service.run({ parameters: all, items: items as never, baseUrl, ...more });
}
const list = async (parameters: INodeParameters = {}) => {
	const { outputs, error } = await run('getOpenQuestions', { returnAll: true, ...parameters });
	expect(error).toBeUndefined();
	return outputs[0].map(({ json }) => json);
};
const end = async (phone: string, parameters: INodeParameters = {}) =>
	(await run('endWait', { to: phone, ...parameters })).outputs[0].map(({ json }) => json);

test('shows who was asked, since when and until when, the last text of each, who has answered, and the execution', async () => {
	await publish();
	const before = new Date().toISOString();
	const execution = await people.ask([anna, berta, carl], {
		...{ message: 'Which day suits you?', responseType: 'date' },
		...{ limitWaitTime: 2, waitTimeUnit: 'hours' },
	});
	await people.write(berta, 'any day');
	await people.write(carl, '2040-01-31');
	const common = {
		...{ question: 'Which day suits you?', workflow: expect.any(String) as string },
		...{ executionId: execution['waiting'].id, askedMessageId: expect.any(String) as string },
	};
	const open = await list();
	expect(open).toMatchObject([
		{ phone: anna, status: 'waiting', lastText: null, lastTextAt: null, ...common },
		{ phone: berta, status: 'waiting', lastText: 'any day', ...common },
		{ phone: carl, status: 'answered', lastText: '2040-01-31', ...common },
	]);
	const [{ askedAt, waitsUntil }] = open as Array<Record<string, string>>;
	expect(askedAt >= before && askedAt <= new Date().toISOString()).toBe(true);
	const hours = (Date.parse(waitsUntil) - Date.parse(askedAt)) / 3_600_000;
	expect(hours).toBeCloseTo(2, 1);
	expect((await list({ status: 'answered' })).map(({ phone }) => phone)).toEqual([carl]);
	expect((await list({ status: 'waiting' })).map(({ phone }) => phone)).toEqual([anna, berta]);
	await people.write(anna, '2040-01-30');
	await people.write(berta, '2040-01-31');
	await jsonOf(execution);
	expect(await list()).toEqual([]);
});

test('a list that ends at the limit says how many questions there are', async () => {
	await publish();
	await people.ask([anna, berta, carl]);
	const limited = await run('getOpenQuestions', { limit: 2 });
	expect(limited.outputs[0]).toHaveLength(2);
	expect(JSON.stringify(limited)).toContain(
		"There are 3 questions, and the list ends at 'Limit' (2)",
	);
});

test('many runs and people are listed completely, each once', async () => {
	const inbox = await publish();
	const phones = range(1_500).map((n) => `+1555${1_000_000 + n}`);
	for (const part of [phones, phones.slice(0, 700), phones.slice(0, 1)])
		await new WaitingRun(service, inbox, part).tell();
	const open = await list();
	expect(open).toHaveLength(2_201);
	expect(uniqBy(open, (one) => JSON.stringify([one.phone, one.executionId]))).toHaveLength(2_201);
});

test('when the wait for a person is ended, the run continues with the others, and the person is output as if the time was up', async () => {
	const inbox = await publish();
	const execution = await people.ask([anna, berta, carl], { responseType: 'approval' });
	await people.write(anna, 'perhaps');
	await people.write(carl, 'yes');
	expect(await end(anna)).toEqual([{ phone: anna, endedQuestions: 1 }]);
	expect(await list()).toMatchObject([
		{ status: 'ended' },
		{ status: 'waiting' },
		{ status: 'answered' },
	]);
	expect(execution.outputs).toBeUndefined();
	await people.write(anna, 'yes');
	expect(startedBy(inbox)).toEqual(['yes']);
	expect(await end(berta)).toEqual([{ phone: berta, endedQuestions: 1 }]);
	expect(await jsonOf(execution)).toMatchObject([
		{ from: anna, replied: true, valid: false, approved: false, text: 'perhaps' },
		{ from: berta, replied: false, valid: false, approved: false },
		{ from: carl, replied: true, valid: true, approved: true },
	]);
});

test('with On Timeout: Output Nothing, somebody for whom nobody waits any more has no item', async () => {
	await publish();
	const execution = await people.ask([anna, berta], { replyOptions: { onTimeout: 'nothing' } });
	await end(anna);
	await people.write(berta, 'Yes');
	expect(await jsonOf(execution)).toMatchObject([{ from: berta }]);
});

test('all executions stop waiting for a person, or only one of them; who has answered is left as it is', async () => {
	await publish();
	const [one, other] = [await people.ask([anna, berta]), await people.ask([anna, berta])];
	const executionId = one['waiting'].id;
	expect(await end('+1 (555) 000-1001', { executionId })).toEqual([
		{ phone: anna, endedQuestions: 1 },
	]);
	await people.write(berta, 'for the other');
	await people.write(berta, 'for the one');
	expect(await jsonOf(one)).toMatchObject([{ replied: false }, { text: 'for the one' }]);
	expect(await end(berta)).toEqual([{ phone: berta, endedQuestions: 0 }]);
	expect(other.outputs).toBeUndefined();
	const { hints } = await run('endWait', { to: anna, executionId: '999999' });
	expect(hints).toMatchObject([
		{ message: `Execution 999999 does not wait for a reply of ${anna}.` },
	]);
	expect(await end(anna)).toEqual([{ phone: anna, endedQuestions: 1 }]);
	expect(await jsonOf(other)).toMatchObject([{ replied: false }, { text: 'for the other' }]);
});

test('that nobody waits for a person any more is stored, and known after a restart', async () => {
	const inbox = await publish();
	const execution = await people.ask([anna, berta]);
	await end(anna);
	const restarted = await triggers.make({
		...{ webhookId: inbox.url.split('/').at(-2), parameters: { keepReplies: true } },
		staticData: inbox.staticData,
	});
	await restarted.activate('init');
	expect(await list({ status: 'ended' })).toMatchObject([{ phone: anna }]);
	await people.write(anna, 'Hello');
	await people.write(berta, 'Yes');
	expect(await jsonOf(execution)).toMatchObject([{ replied: false }, { text: 'Yes' }]);
});

test('without an inbox, with another key, and for an invalid number, errors say what to do', async () => {
	const none = 'No published workflow keeps the replies [item 0]';
	for (const operation of ['getOpenQuestions', 'endWait'])
		expect((await run(operation, { to: anna })).error?.message).toBe(none);
	await publish();
	await people.ask([anna]);
	const credentials = service.credentials(service.newKey());
	const { error } = await run('getOpenQuestions', {}, [{}], { credentials });
	expect(error?.message).toContain('uses another API key');
	const items = [{ to: anna }, { to: 'Anna' }, { to: berta }];
	const { outputs } = await run('endWait', { to: '={{ $json.to }}' }, items, {
		onError: 'continueRegularOutput',
	});
	expect(outputs[0]).toMatchObject([
		{ json: { phone: anna, endedQuestions: 1 }, pairedItem: { item: 0 } },
		{ json: { error: expect.stringContaining('Anna') as string }, pairedItem: { item: 1 } },
		{ json: { phone: berta, endedQuestions: 0 }, pairedItem: { item: 2 } },
	]);
});
