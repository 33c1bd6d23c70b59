/** Sending to many people: no message is lost or sent twice, the order is kept, and a run can be resumed. */
import { once } from 'node:events';
import { countBy, range } from 'lodash';
import type { INode, INodeParameters, IRun } from 'n8n-workflow';
import { until } from '../../../harness/until';
import {
	campaign,
	numbers,
	oneEach,
	people,
	useLog,
	useService,
} from '../../../harness/engine/service';

const service = useService();

/** The node at which an execution has stopped. The Retry button takes it from the saved workflow. */
const stackOf = ({ run }: { run: IRun }) => run.data.executionData!.nodeExecutionStack[0].node;

test('one person gets the messages in the order of the items, even if the service refuses the first one for a while', async () => {
	const items = range(120).map((index) => ({
		n: 1000 + (index % 20),
		text: String(Math.floor(index / 20)),
	}));
	const refusal = { status: 429, headers: { 'retry-after-ms': '5' } };
	service.fault({ endpoint: 'sendText', match: '"0"', count: 20, ...refusal });
	const parameters = { ...campaign, text: '={{ $json.text }}' };
	expect((await service.run({ parameters, items })).error).toBeUndefined();
	for (const phone of numbers(20)) {
		const texts = service.sent().filter((message) => message.phone === phone);
		expect(texts.map(({ text }) => text)).toEqual(range(6).map(String));
	}
});

describe('Retry On Fail and the Retry button send only unsent messages', () => {
	const failOnce = (n: number) =>
		service.fault({ endpoint: 'sendText', match: `+1555000${n}`, status: 422 });

	test.each<[string, number, INode['onError']]>([
		['', 1020, undefined],
		[' while the node continues on errors', 1000, 'continueRegularOutput'], // then n8n decides by the first item
	])('Retry On Fail%s, with a text that changes with every attempt', async (_, n, onError) => {
		failOnce(n);
		const parameters = { ...campaign, text: '={{ $now }} {{ Math.random() }}' };
		const retries = { retryOnFail: true, maxTries: 2 };
		const items = people(40);
		const { outputs, error } = await service.run({ parameters, items, ...retries, onError });
		expect(error).toBeUndefined();
		expect(outputs[0].map(({ json, pairedItem }) => [json.to, pairedItem])).toEqual(
			numbers(40).map((to, item) => [to, { item }]),
		);
		expect(service.received()).toEqual(oneEach(40));
	});

	test('after an error that says how far the run got, the Retry button continues; after that, nothing stays stored', async () => {
		failOnce(1020);
		const failed = await service.run({ parameters: campaign, items: people(40) });
		const done = service.sent().length;
		expect(done).toBeLessThan(40);
		expect(failed.error?.description).toContain(
			`${done} of 40 items are done. A retry continues with the others.`,
		);
		const again = await service.retry(failed);
		expect(again.error).toBeUndefined();
		expect(again.outputs[0].map(({ json }) => json.to)).toEqual(numbers(40));
		expect(service.received()).toEqual(oneEach(40));
		expect(again.context.sent).toEqual({});
	});

	test.each([
		[4, [1], '3 of 4 items are done. 1 may be done, so a retry does not repeat it'],
		[2, [0, 1], '0 of 2 items are done. 2 may be done, so a retry does not repeat them'],
	])(
		'of %i messages, %j may have been sent: the Retry button goes on only after the node continues on errors, as the error says',
		async (count, unclear, said) => {
			for (const n of unclear)
				service.fault({ ...{ endpoint: 'sendText', match: `+1555000${1000 + n}`, status: 503 } });
			const parameters = { ...campaign, options: { concurrency: 1 } };
			const failed = await service.run({ parameters, items: people(count) });
			expect(failed.error?.description).toMatch(
				/A retry continues with the others \(\d\)\. 1 may be/,
			);
			const again = await service.retry(failed);
			expect(again.error?.description).toContain(said);
			const nodes = [...again.workflow.nodes, stackOf(again)];
			for (const node of nodes) node.onError = 'continueRegularOutput';
			const { outputs, error } = await service.retry(again);
			expect(error).toBeUndefined();
			expect(outputs[0].map(({ json }) => json.sendStatus ?? 'mayHaveBeenSent')).toEqual(
				range(count).map((n) => (unclear.includes(n) ? 'mayHaveBeenSent' : 'sent')),
			);
			expect(service.calls('sendText')).toBe(count);
		},
	);

	test('the error counts people who were skipped as done, as a retry does not handle them', async () => {
		failOnce(1020);
		const audienceRules = { excludeNumbers: numbers(10).join() };
		const parameters = { ...campaign, audienceRules };
		const { error } = await service.run({ parameters, items: people(40) });
		expect(error?.description).toContain(
			`${service.sent().length + 10} of 40 items are done or were left out.`,
		);
	});

	describe('a run that nothing repeats leaves no record, however many items have failed', () => {
		const continues = ['continueRegularOutput', 'continueErrorOutput'] as const;
		const failing = {
			'the first item': ['+15550001000'],
			'an item in the middle, with Retry On Fail': ['+15550001014'],
			'one item of each round': ['+15550001000', '+15550001012', '+15550001024'],
		};
		const cases = continues.flatMap((onError) =>
			Object.entries(failing).flatMap(([what, phones]) =>
				[undefined, 10].map((batchSize) => ({ onError, what, phones, batchSize })),
			),
		);

		test.each(cases)('$onError, $what, rounds of $batchSize', async (one) => {
			const { what, phones, onError, batchSize } = one;
			for (const match of phones)
				service.fault({ endpoint: 'sendText', match, status: 500, count: 1 });
			const retryOnFail = what.includes('Retry On Fail'); // n8n decides by the first item
			const run = { parameters: campaign, items: people(30), retryOnFail, onError, batchSize };
			const { error, rounds, context } = await service.run(run);
			const outputs = rounds.flat(2);
			expect(error).toBeUndefined();
			expect(outputs.filter(({ json }) => json.error !== undefined)).toHaveLength(phones.length);
			expect(outputs).toHaveLength(30);
			expect(context.sent).toEqual({});
		});
	});

	test('a retry sends a message whose recipient was corrected before', async () => {
		failOnce(1001);
		const parameters = { ...campaign, options: { concurrency: 1 } };
		const failed = await service.run({ parameters, items: people(2) });
		const [stopped] = failed.run.data.executionData?.nodeExecutionStack ?? [];
		stopped.node.parameters.to = '=+1555000{{ $json.n + ($json.n === 1000 ? 500 : 0) }}';
		await service.retry(failed);
		const expected = { '+15550001000': 1, '+15550001500': 1, '+15550001001': 1 };
		expect(service.received()).toEqual(expected);
	});

	test('the same text to the same person counts as another message in another item or another round of a loop', async () => {
		const parameters = { ...campaign, to: '+15550001000' };
		const { rounds } = await service.run({ parameters, items: people(40), batchSize: 10 });
		expect(rounds.map((outputs) => outputs[0].length)).toEqual([10, 10, 10, 10]);
		expect(service.received()).toEqual({ '+15550001000': 40 });
	});
});

test('several items with the same text for one person are each sent once, with different idempotency keys', async () => {
	service.fault({ endpoint: 'sendText', skip: 1, count: 1, status: 422 });
	const parameters = { ...campaign, to: '+15550001000' };
	await service.run({ parameters, items: people(3), retryOnFail: true, maxTries: 2 });
	expect(service.received()).toEqual({ '+15550001000': 3 });
	const keys = service.requests('sendText').map(({ headers }) => headers['idempotency-key']);
	const [first, refused, again, last] = keys;
	expect(refused).toBe(again);
	expect(new Set([first, again, last]).size).toBe(3);
});

test('Retry On Fail repeats no message if the service responds with a field `error` and 200', async () => {
	const body = { id: 'msg_1', error: 0 };
	service.fault({ endpoint: 'sendText', status: 200, body, count: 9 });
	const retries = { retryOnFail: true, maxTries: 3 };
	await service.run({ parameters: campaign, items: people(3), ...retries });
	expect(service.calls('sendText')).toBe(3);
});

test('a message that may have been sent is reported and never repeated, while the others continue', async () => {
	service.fault({ endpoint: 'sendText', match: '+15550001003', reset: 'afterRead' });
	const failed = await service.run({
		parameters: campaign,
		items: people(10),
		retryOnFail: true,
		maxTries: 3,
	});
	const context = { itemIndex: 3, sendStatus: 'mayHaveBeenSent' };
	const message = 'The connection was lost before the service responded [item 3]';
	expect(failed.error).toMatchObject({ message, context });
	expect((await service.retry(failed)).error).toMatchObject({ context });
	expect(service.received()).toEqual(oneEach(10));
});

describe('a tool, whose attempts n8n counts as runs', () => {
	const settings = { type: 'n8n-nodes-business-messaging.businessMessagingTool' };
	/** Calls the tool with these texts, one after the other. @returns the results */
	const call = async (...texts: string[]) => {
		const { rounds } = await service.run({
			parameters: { ...campaign, to: '+15550001000', text },
			items: texts.map((text, n) => ({ text, toolCallId: `call_${n}` })),
			...{ settings, batchSize: 1, onError: 'continueRegularOutput' },
		});
		return rounds.map(([[{ json }]]) => json.sendStatus);
	};
	let text: string;
	beforeEach(() => (text = '={{ $json.text }}'));
	const received = () => service.sent().map(({ text }) => text);

	test.each(['', '{{ $now.toMillis() }} {{ $json.toolCallId }}'])(
		'does not send a message again that may have been sent, with %j in its text',
		async (changing) => {
			text = `={{ $json.text }}${changing}`;
			service.fault({ endpoint: 'sendText', reset: 'afterRead' });
			expect(await call('Hi', 'Hi')).toEqual(['mayHaveBeenSent', 'mayHaveBeenSent']);
			expect(received()).toEqual([expect.stringMatching(/^Hi/)]);
		},
	);

	test('whose model says nothing sends what the workflow says, which may differ', async () => {
		service.fault({ endpoint: 'sendText', reset: 'afterRead' });
		const { rounds } = await service.run({
			parameters: { ...campaign, to: '+15550001000', text: '=Order {{ $runIndex }}' },
			items: [{ toolCallId: 'a' }, { toolCallId: 'b' }],
			...{ settings, batchSize: 1, onError: 'continueRegularOutput' },
		});
		expect(rounds.map(([[{ json }]]) => json.sendStatus)).toEqual(['mayHaveBeenSent', 'sent']);
		expect(received()).toEqual(['Order 0', 'Order 1']);
	});

	test('whose model says nothing does not repeat a call whose text changes with every attempt', async () => {
		service.fault({ endpoint: 'sendText', reset: 'afterRead' });
		const { error } = await service.run({
			parameters: { ...campaign, to: '+15550001000', text: '={{ $now }} {{ Math.random() }}' },
			items: [{ toolCallId: 'a' }],
			...{ settings, retryOnFail: true, maxTries: 2 },
		});
		expect(error).toMatchObject({ context: { sendStatus: 'mayHaveBeenSent' } });
		expect(received()).toHaveLength(1);
	});

	test('sends another text, a text that was certainly not sent, and the same text once more if the model wants it', async () => {
		service.fault({ endpoint: 'sendText', match: 'Hi', status: 422 });
		await call('Hi', 'Hello', 'Hi', 'Hi');
		expect(received()).toEqual(['Hello', 'Hi', 'Hi']);
	});
});

describe('Stop', () => {
	/** Resolves when this number of messages has arrived; the response to the last of them is still under way. */
	const arrival = async (count: number) => {
		while (service.sent().length < count) await once(service.sandbox.changes, 'message');
	};
	const endOfRequests = async () => {
		const { sendText } = service.sandbox.state.requests.counters;
		await until('what was under way', () => sendText.open === 0);
	};
	const parameters = { ...campaign, options: { concurrency: 4 } };
	const items = people(60);

	test('ends the sending; Retry sends the rest, and reports messages that were under way without sending them again', async () => {
		const stopped = await service.run({ items, parameters, cancelWhen: arrival(10) });
		expect(stopped.status).toBe('canceled');
		expect(stopped.error?.description).toMatch(
			/^Requests that have already started will be finished\. To continue/,
		);
		await endOfRequests();
		await new Promise((resolve) => setTimeout(resolve, 200)); // by now, another message would have been sent
		expect(service.sent().length).toBeLessThanOrEqual(10 + 2 * 4);
		// n8n stored the run when it was stopped, before the responses came.
		expect((await service.retry(stopped)).error).toMatchObject({
			message: expect.stringContaining('was interrupted before the service responded'),
			context: { sendStatus: 'mayHaveBeenSent' },
		});
		expect(service.received()).toEqual(oneEach(60));
	});

	test('leaves nothing behind that delays the next execution, also with Send Once', async () => {
		const once = { ...parameters, sendOnce: true, campaign: 'stopped' };
		await service.run({ items, parameters: once, cancelWhen: arrival(10) });
		await endOfRequests();
		await until('the end of the stopped run', async () => {
			const { outputs } = await service.run({ items, parameters: once });
			const reasons = countBy(outputs[0], ({ json }) => json.reason);
			return reasons.alreadySent === 60;
		});
		expect(service.received()).toEqual(oneEach(60));
	});
});

test('each item has an idempotency key of its own, which is the same in all attempts', async () => {
	const parameters = { ...campaign, options: { concurrency: 1 } };
	service.fault({ endpoint: 'sendText', skip: 1, count: 1, status: 422 });
	await service.run({ parameters, items: people(3), retryOnFail: true, maxTries: 2 });
	const keys = service.requests('sendText').map(({ headers }) => headers['idempotency-key']);
	const [first, refused, again, last] = keys;
	expect(keys).toEqual(Array(4).fill(expect.stringMatching(/^[0-9a-f]{32}$/)));
	expect(again).toBe(refused);
	expect(new Set([first, again, last]).size).toBe(3);
});

describe("n8n's log", () => {
	const lines = useLog(service, 'businessMessaging', 'execute');

	test('shows the progress, but only of long runs, and no personal data', async () => {
		service.fault({ endpoint: 'sendText', match: '+15550001007', status: 422 });
		const rules = { excludeNumbers: '+15550001008, +15550001009' };
		const parameters = { ...campaign, audienceRules: rules, options: { concurrency: 1 } };
		const run = async (count: number) =>
			await service.run({ parameters, items: people(count), onError: 'continueRegularOutput' });
		const written = () => lines.filter((line) => !line.startsWith('debug'));
		await run(99);
		expect(written()).toEqual([]);
		service.fault({ endpoint: 'sendText', match: '+15550001007', status: 422 });
		await run(152); // two people are left out before the first message is sent
		expect(written()).toEqual([
			expect.stringMatching(/100 of 150 messages \(1 failed, 0 skipped\), .* min left$/),
			expect.stringMatching(/150 of 150 messages \(1 failed, 0 skipped\)(?!,)/),
		]);
		expect(written().join()).not.toContain('+1555');
	});
});

describe('Include Other Input Fields', () => {
	/** A row of a table that contains the results of an earlier campaign. */
	const old = { name: 'Anna', to: 'old', skipped: true, error: 'old' };
	const items = people(3).map((one) => ({ ...one, ...old }));
	const audienceRules = { excludeNumbers: '+15550001001' };
	const parameters = { ...campaign, audienceRules, options: { includeOtherFields: true } };

	test('every item, sent or not, has its own columns first and then those of the input', async () => {
		service.fault({ endpoint: 'sendText', match: '+15550001002', status: 422 });
		const run = { parameters, items, onError: 'continueRegularOutput' } as const;
		const [output] = (await service.run(run)).outputs;
		expect(output.map(({ json }) => [json.sendStatus, json.n, json.name])).toEqual([
			['sent', 1000, 'Anna'],
			['skipped', 1001, 'Anna'],
			['notSent', 1002, 'Anna'],
		]);
		expect(output.map(({ json }) => json.skipped)).toEqual([undefined, true, undefined]);
		for (const { json } of output) {
			expect(Object.keys(json).slice(0, 4)).toEqual(['to', 'sendStatus', 'reason', 'messageId']);
			expect([json.to, json.error]).not.toContain('old');
		}
	});

	const file = { data: 'aGk=', mimeType: 'text/plain', fileName: 'invoice.txt' };
	/** The second of the items has no file. */
	const withFiles = items.map((json, n) =>
		n === 1 ? { json } : { json, binary: { [`f${n}`]: file } },
	);
	const filesOf = [{ f0: file }, undefined, { f2: file }];

	test.each<[string, INodeParameters, INode['onError']]>([
		['after a send', {}, 'continueRegularOutput'],
		['in the error output', {}, 'continueErrorOutput'],
		['in a preview', { mode: 'preview' }, undefined],
		['if all are left out', { audienceRules: { excludeNumbers: numbers(3).join() } }, undefined],
	])('every item keeps its own files %s', async (_, more, onError) => {
		service.fault({ endpoint: 'sendText', match: '+15550001002', status: 422 });
		const run = { parameters: { ...parameters, ...more }, items: withFiles, onError };
		const { outputs } = await service.run(run);
		expect(outputs.flat().map(({ binary }) => binary)).toEqual(filesOf);
	});

	test('without the option, the output has neither fields nor files of the input', async () => {
		const { outputs } = await service.run({ parameters: campaign, items: withFiles });
		for (const output of outputs[0]) {
			expect(output.json).not.toHaveProperty('name');
			expect(output.binary).toBeUndefined();
		}
	});
});
