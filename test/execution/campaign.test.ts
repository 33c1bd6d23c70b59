/** Sending to many: never lost, never twice, in order, resumable. */
import { once } from 'node:events';

import { countBy, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { waitFor } from '../../tools/waitFor';
import { useService } from '../support/service';

const service = useService();
const resend: INodeParameters = {
	resource: 'message',
	operation: 'sendText',
	to: '=+1555000{{ $json.n }}',
	text: 'Sale!',
};
const people = (count: number) => range(1000, 1000 + count).map((n) => ({ n }));
const numbers = (count: number) => people(count).map(({ n }) => `+1555000${n}`);

/** How many messages each person got. */
const received = () => countBy(service.sent(), 'phone');
const oneEach = (count: number) => Object.fromEntries(numbers(count).map((phone) => [phone, 1]));

test('one person gets the messages in the order of the items, even if the service refuses the first one for a while', async () => {
	const items = range(500).map((index) => ({
		n: 1000 + (index % 50),
		text: String(Math.floor(index / 50)),
	}));
	await service.fault({
		endpoint: 'sendText',
		match: '"0"',
		count: 50,
		status: 429,
		headers: { 'retry-after-ms': '5' },
	});
	const { error } = await service.run({
		parameters: { ...resend, text: '={{ $json.text }}' },
		items,
	});
	expect(error).toBeUndefined();
	for (const phone of numbers(50)) {
		expect(
			service
				.sent()
				.filter((message) => message.phone === phone)
				.map(({ text }) => text),
		).toEqual(range(10).map(String));
	}
});

test('a bad number stops the run before anything is sent, and names the item', async () => {
	const items = [{ n: '1000' }, { n: 'x' }, { n: '1002' }];
	const { error } = await service.run({ parameters: resend, items });
	expect(error).toMatchObject({
		message: '"+1555000x" in \'Recipient Phone Number\' is not a phone number [item 1]',
		description: expect.stringMatching(/e\.g\. \+49 170 1234567.*nothing was sent/),
		context: { itemIndex: 1, sendStatus: 'notSent' },
	});
	expect(service.sent()).toHaveLength(0);
});

describe('Retry On Fail and the Retry button send only what is unsent', () => {
	const failOnce = async () =>
		await service.fault({
			endpoint: 'sendText',
			match: '+15550001050',
			status: 422,
			body: { message: 'not now' },
		});

	test('Retry On Fail', async () => {
		await failOnce();
		const { outputs, error } = await service.run({
			parameters: resend,
			items: people(100),
			retryOnFail: true,
			maxTries: 2,
		});
		expect(error).toBeUndefined();
		expect(outputs[0].map(({ json }) => json.to)).toEqual(numbers(100));
		expect(outputs[0].map(({ pairedItem }) => pairedItem)).toEqual(
			range(100).map((item) => ({ item })),
		);
		expect(received()).toEqual(oneEach(100));
	});

	test('a text that is another one at every attempt, e.g. with the time in it, is not sent again', async () => {
		await failOnce();
		const { error } = await service.run({
			parameters: { ...resend, text: '={{ $now.toMillis() }} {{ Math.random() }}' },
			items: people(100),
			retryOnFail: true,
			maxTries: 2,
		});
		expect(error).toBeUndefined();
		expect(received()).toEqual(oneEach(100));
	});

	test('a message is sent if its recipient was corrected before the retry', async () => {
		await service.fault({ endpoint: 'sendText', match: '+15550001001', status: 422 });
		const parameters = { ...resend, options: { concurrency: 1 } };
		const failed = await service.run({ parameters, items: people(2) });
		expect(received()).toEqual({ '+15550001000': 1 });
		const [stopped] = failed.execution.run.data.executionData?.nodeExecutionStack ?? [];
		stopped.node.parameters.to = '=+1555000{{ $json.n + ($json.n === 1000 ? 500 : 0) }}';
		await service.engine.retry(failed, { credentials: service.credentials() });
		expect(received()).toEqual({ '+15550001000': 1, '+15550001500': 1, '+15550001001': 1 });
	});

	test('the Retry button, after an error that says how far it got', async () => {
		await failOnce();
		const failed = await service.run({ parameters: resend, items: people(100) });
		expect(failed.status).toBe('error');
		const done = service.sent().length;
		expect(done).toBeLessThan(100);
		expect(failed.error?.description).toContain(
			`${done} of 100 items are done. A retry goes on from there and repeats none of them.`,
		);
		const again = await service.engine.retry(failed, { credentials: service.credentials() });
		expect(again.error).toBeUndefined();
		expect(again.outputs[0].map(({ json }) => json.to)).toEqual(numbers(100));
		expect(received()).toEqual(oneEach(100));
	});

	test('Continue with Retry On Fail repeats the failed items only', async () => {
		await service.fault({ endpoint: 'sendText', match: '+15550001000', status: 422 });
		const { outputs } = await service.run({
			parameters: resend,
			items: people(5),
			retryOnFail: true,
			maxTries: 2,
			onError: 'continueRegularOutput',
		});
		expect(outputs[0].map(({ json }) => json.to)).toEqual(numbers(5));
		expect(received()).toEqual(oneEach(5));
	});

	test('the same text to the same person in another item is another message', async () => {
		const { outputs } = await service.run({
			parameters: resend,
			items: [{ n: 1000 }, { n: 1000 }],
		});
		expect(outputs[0]).toHaveLength(2);
		expect(received()).toEqual({ '+15550001000': 2 });
	});

	test('a success leaves nothing in the memory of the node', async () => {
		const { context } = await service.run({ parameters: resend, items: people(3) });
		expect(context.sent).toEqual({});
	});

	test('the idempotency key of an item is the same over all tries, and its own', async () => {
		await failOnce();
		const failed = await service.run({ parameters: resend, items: people(60) });
		await service.engine.retry(failed, { credentials: service.credentials() });
		const keysTo = (phone: string) =>
			service.sandbox.state.requests
				.last()
				.filter(({ body }) => JSON.stringify(body).includes(phone))
				.map(({ headers }) => headers['idempotency-key']);
		const tries = keysTo('+15550001050');
		expect(tries).toHaveLength(2);
		expect(tries[0]).toMatch(/^[0-9a-f]{32}$/);
		expect(tries[1]).toBe(tries[0]);
		expect(keysTo('+15550001051')).not.toContain(tries[0]);
	});
});

test('a message whose fate is unknown is reported and never repeated, while the others go on', async () => {
	await service.fault({ endpoint: 'sendText', match: '+15550001003', reset: 'afterRead' });
	const credentials = service.credentials({ baseUrl: service.sandbox.url }); // a proxy would answer in place of the broken connection
	const failed = await service.run({
		parameters: resend,
		items: people(10),
		retryOnFail: true,
		maxTries: 3,
		credentials,
	});
	expect(failed.error).toMatchObject({
		message: 'The connection to the service was lost before it responded [item 3]',
		context: { sendStatus: 'mayHaveBeenSent' },
	});
	const again = await service.engine.retry(failed, { credentials });
	expect(again.error?.context).toMatchObject({ itemIndex: 3, sendStatus: 'mayHaveBeenSent' });
	expect(received()).toEqual(oneEach(10));
});

test('every round of a loop sends its own items', async () => {
	const { rounds, error } = await service.run({
		parameters: { ...resend, to: '+15550001000' },
		items: people(40),
		batchSize: 10,
	});
	expect(error).toBeUndefined();
	expect(rounds.map((outputs) => outputs[0].length)).toEqual([10, 10, 10, 10]);
	expect(service.sent()).toHaveLength(40);
});

test('Stop ends the sending; what was under way is finished and remembered', async () => {
	const slow = { parameters: { ...resend, options: { concurrency: 4 } }, items: people(200) };
	const tenth = (async () => {
		while (service.sent().length < 10) await once(service.sandbox.changes, 'message');
	})();
	const stopped = await service.run({ ...slow, cancelWhen: tenth });
	expect(stopped.status).toBe('canceled');
	await waitFor(async () => service.sandbox.state.requests.counters.sendText.open === 0, {
		what: 'what was under way',
		limit: 10_000,
	});
	await new Promise((resolve) => setTimeout(resolve, 200)); // and the node reads its answers
	const atStop = service.sent().length;
	expect(atStop).toBeLessThanOrEqual(10 + 2 * 4);
	const again = await service.engine.retry(stopped, { credentials: service.credentials() });
	expect(again.error).toBeUndefined();
	expect(again.outputs[0].map(({ json }) => json.to)).toEqual(numbers(200));
	expect(received()).toEqual(oneEach(200));
});
