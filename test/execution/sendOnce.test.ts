/** Send Once: nobody gets a campaign twice, and nobody is left out for what the node could not write down. */
import { countBy, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../support/engine';
import { useService } from '../support/service';

const service = useService();
const sale: INodeParameters = {
	resource: 'message',
	operation: 'sendText',
	to: '=+1555000{{ $json.n }}',
	text: 'Sale!',
	sendOnce: true,
	campaign: 'sale',
	options: { concurrency: 8 },
};
const people = (count: number) => range(1000, 1000 + count).map((n) => ({ n }));
const numbers = (count: number) => people(count).map(({ n }) => `+1555000${n}`);
const run = async (options: RunOptions = {}) =>
	await service.run({
		items: people(4),
		...options,
		parameters: { ...sale, ...options.parameters },
	});

/** How many messages each person got. */
const received = () => countBy(service.sent(), 'phone');
const oneEach = (count: number) => Object.fromEntries(numbers(count).map((phone) => [phone, 1]));
/** The output of items, by what became of them. */
const statuses = (outputs: Awaited<ReturnType<typeof run>>['outputs']) =>
	outputs[0].map(({ json }) => (json.skipped ? json.sendStatus : 'sent now'));

beforeEach(() => service.engine.processed.reset());

test('a second execution skips what was sent, with a mark', async () => {
	await run({ items: people(30) });
	const { outputs } = await run({ items: people(40) });
	expect(received()).toEqual(oneEach(40));
	expect(outputs[0].slice(0, 30).map(({ json }) => json)).toEqual(
		numbers(30).map((to) => ({ to, skipped: true, sendStatus: 'alreadySent', campaign: 'sale' })),
	);
	expect(outputs[0].slice(30).map(({ json }) => json)).toEqual(
		numbers(40)
			.slice(30)
			.map((to) => expect.objectContaining({ to, messageId: expect.any(String) })),
	);
});

test('what certainly did not go out is sent the next time; what may have gone out is not, and is listed', async () => {
	await service.fault({ endpoint: 'sendText', match: '+15550001001', status: 422 });
	await service.fault({ endpoint: 'sendText', match: '+15550001002', reset: 'beforeRead' });
	const first = await run({ onError: 'continueErrorOutput' });
	expect(first.outputs[1].map(({ json }) => json.error)).toEqual([
		expect.objectContaining({ sendStatus: 'notSent' }),
		expect.objectContaining({ sendStatus: 'mayHaveBeenSent' }),
	]);
	const { outputs } = await run();
	expect(statuses(outputs)).toEqual(['alreadySent', 'sent now', 'mayHaveBeenSent', 'alreadySent']);
});

test('a number that is written in several ways is one recipient', async () => {
	const ways = ['+49 170 1234569', '+49 (170) 123-4569', '0049170/1234569', '+49 (0)170 1234569'];
	const { outputs } = await run({
		parameters: { to: '={{ $json.phone }}' },
		items: ways.map((phone) => ({ phone })),
	});
	expect(received()).toEqual({ '+491701234569': 1 });
	expect(statuses(outputs).filter((status) => status !== 'sent now')).toHaveLength(3);
});

test('two numbers of one phone are one recipient', async () => {
	await run({
		parameters: { to: '={{ $json.phone }}' },
		items: [{ phone: '+52 55 1234 5678' }, { phone: '+52 1 55 1234 5678' }],
	});
	expect(service.sent()).toHaveLength(1);
});

test('another campaign is sent to the same people; a name from an expression counts for its item', async () => {
	await run();
	await run({ parameters: { campaign: 'autumn sale' } });
	expect(received()).toEqual(Object.fromEntries(numbers(4).map((phone) => [phone, 2])));
	const { outputs } = await run({
		parameters: { to: '+15550001000', campaign: '=order {{ $json.order }} ' },
		items: [{ order: 1 }, { order: 2 }, { order: '1' }],
	});
	expect(statuses(outputs)).toEqual(['sent now', 'sent now', 'alreadySent']);
});

test.each([' ', '={{ $json.missing }}'])(
	'nothing is sent without the name of a campaign: "%s"',
	async (campaign) => {
		const { error } = await run({ parameters: { campaign } });
		expect(error?.message).toMatch(/Campaign/);
		expect(service.sent()).toEqual([]);
	},
);

test('with the switch off everything is sent, also what was sent once', async () => {
	await run();
	await run({ parameters: { sendOnce: false } });
	expect(received()).toEqual(Object.fromEntries(numbers(4).map((phone) => [phone, 2])));
});

describe('what another node has sent', () => {
	const other = { settings: { id: 'another node' } };

	test('is sent by this one as well if the scope is the node', async () => {
		await run();
		await run(other);
		expect(received()).toEqual(Object.fromEntries(numbers(4).map((phone) => [phone, 2])));
	});

	test('is skipped if the scope of both is the workflow, but not by another workflow', async () => {
		const parameters = { options: { sendOnceScope: 'workflow' } };
		await run({ parameters });
		const { outputs } = await run({ parameters, ...other });
		expect(statuses(outputs)).toEqual(numbers(4).map(() => 'alreadySent'));
		expect(received()).toEqual(oneEach(4));
		await run({ parameters, workflowId: 'another workflow' });
		expect(service.sent()).toHaveLength(8);
	});
});

describe('Clear Send Once History', () => {
	test.each(['node', 'workflow'])(
		'forgets what was sent in the scope %s, sends nothing, and says so',
		async (sendOnceScope) => {
			await run({ parameters: { options: { sendOnceScope } } });
			const clearing = { sendOnceScope, clearSendOnceHistory: true };
			const { outputs, hints } = await run({ parameters: { options: clearing } });
			expect(statuses(outputs)).toEqual(numbers(4).map(() => 'notSent'));
			expect(hints.map(({ message }) => message)).toEqual([
				expect.stringContaining(
					`history of this ${sendOnceScope} was cleared, and nothing was sent`,
				),
			]);
			expect(received()).toEqual(oneEach(4));
			await run({ parameters: { options: { sendOnceScope } } });
			expect(received()).toEqual(Object.fromEntries(numbers(4).map((phone) => [phone, 2])));
		},
	);

	test('leaves what another node remembers', async () => {
		const other = { settings: { id: 'another node' } };
		await run(other);
		await run({ parameters: { options: { clearSendOnceHistory: true } } });
		const { outputs } = await run(other);
		expect(statuses(outputs)).toEqual(numbers(4).map(() => 'alreadySent'));
	});
});

describe('a database that fails', () => {
	/** The calls that fail, counted over all methods or those of one. */
	const failCalls = (from: number, count: number, only?: string) => {
		let calls = 0;
		service.engine.processed.isFailing = (method) =>
			(only === undefined || method === only) && ++calls > from && calls <= from + count;
	};

	test('before a send: the message is not sent, and the error says so', async () => {
		failCalls(0, Infinity);
		const { error } = await run({ items: people(1) });
		expect(error).toMatchObject({
			message: "Send Once could not write to n8n's database, so this message was not sent [item 0]",
			description: expect.stringContaining('database is locked'),
			context: { sendStatus: 'notSent' },
		});
		expect(service.sent()).toEqual([]);
		service.engine.processed.isFailing = () => false;
		await run();
		expect(received()).toEqual(oneEach(4));
	});

	test('after the send: nobody gets a second message', async () => {
		await service.fault({ endpoint: 'sendText', match: '+15550001000', delayMs: 50 });
		void service.sandbox.changes.once('message', () => failCalls(0, Infinity));
		const { hints } = await run({ items: people(1) });
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringContaining('list messages as mayHaveBeenSent that were sent: +15550001000 sale'),
		]);
		service.engine.processed.isFailing = () => false;
		const { outputs } = await run({ items: people(1) });
		expect(statuses(outputs)).toEqual(['mayHaveBeenSent']);
		expect(received()).toEqual(oneEach(1));
	});

	test.each(range(0, 9))(
		'for two calls after %i: whoever got nothing gets it in the next run, and nobody two',
		async (from) => {
			await service.fault({ endpoint: 'sendText', match: '+15550001001', status: 422 });
			const parameters = { options: { concurrency: 2 } };
			failCalls(from, 1);
			await run({ parameters, onError: 'continueErrorOutput' });
			service.engine.processed.isFailing = () => false;
			await run({ parameters });
			expect(received()).toEqual(oneEach(4));
		},
	);

	test('once when a claim is given back: the message is sent in the next run', async () => {
		await service.fault({ endpoint: 'sendText', match: '+15550001000', status: 422 });
		failCalls(0, 1, 'removeProcessed');
		await run({ items: people(1) });
		await run({ items: people(1) });
		expect(received()).toEqual(oneEach(1));
	});

	test('until the end when a claim is given back: the error names who is left out', async () => {
		await service.fault({ endpoint: 'sendText', match: '+15550001000', status: 422 });
		failCalls(0, Infinity, 'removeProcessed');
		const { error } = await run({ items: people(1) });
		expect(error?.description).toContain(
			'Later runs will skip messages that were not sent. Send these with another campaign name: +15550001000 sale.',
		);
	});
});

test('asks the database for a chunk of keys at a time', async () => {
	const before = service.engine.processed.calls;
	service.engine.processed.latencyMs = 20; // while a call is under way, the next keys collect
	await run({ parameters: { options: { concurrency: 100 } }, items: people(200) });
	expect(service.engine.processed.calls - before).toBeLessThan(100);
});
