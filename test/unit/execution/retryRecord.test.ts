/** What is not sent again by an attempt that repeats a run, and which attempts belong to one run. */
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	type Outcome,
	type ValidItem,
	skip,
} from '../../../nodes/BusinessMessaging/execution/item';
import { RetryRecord } from '../../../nodes/BusinessMessaging/execution/retryRecord';
import { sendAndWait } from '../../../nodes/BusinessMessaging/operations/message/sendAndWait';
import { sendText } from '../../../nodes/BusinessMessaging/operations/message/sendText';
import type { Operation } from '../../../nodes/BusinessMessaging/operations/operation';
import { createTemplate } from '../../../nodes/BusinessMessaging/operations/template/create';
import { ServiceError } from '../../../nodes/BusinessMessaging/transport/errors';

/** An execution as n8n gives it to a node. */
class Execution {
	round = 0;
	type = 'x.businessMessaging';
	input: object[] = [{}];
	isToolExecution: (() => boolean) | undefined = () => true;
	/** What n8n stores with the execution. */
	stored: object = {};

	record(operation: Operation = sendText, items: ValidItem[] = [item()]): RetryRecord {
		const context = {
			getContext: () => this.stored,
			getNode: () => ({ type: this.type }),
			getWorkflowDataProxy: () => ({ $runIndex: this.round }),
			getInputData: () => this.input.map((json) => ({ json })),
			isToolExecution: this.isToolExecution,
		} as unknown as IExecuteFunctions;
		return new RetryRecord(context, operation, items);
	}
}

interface Message {
	index?: number;
	to?: string;
	text?: string;
}
const item = ({ index = 0, to = '+15550001000', text = 'Hi' }: Message = {}) =>
	({
		...{ index, input: {} },
		request: { body: { to, text } },
	}) as ValidItem;
const failed = (kind: 'refused' | 'uncertain'): Outcome => ({
	failure: new ServiceError('No', { kind, statusCode: 500, description: 'Look.' }),
});
const done: Outcome = { records: [{ messageId: 'm1' }] };

let execution: Execution;
beforeEach(() => (execution = new Execution()));

describe('the next attempt knows of an item', () => {
	test.each<[what: string, outcome: Outcome, known: unknown]>([
		['its result', done, done],
		['nothing if it was certainly not sent', failed('refused'), undefined],
		['nothing if a rule left it out', skip(item(), 'excluded'), undefined],
		[
			'that it may have been sent, and why',
			failed('uncertain'),
			{
				failure: expect.objectContaining({
					...{ message: 'No', description: 'Look.', statusCode: 500 },
					sendStatus: 'mayHaveBeenSent',
				}),
			},
		],
	])('%s', async (_, outcome, known) => {
		const record = execution.record();
		expect(record.recall(item())).toBeUndefined();
		record.begin(item());
		expect(await record.guard(item(), async () => await Promise.resolve(outcome))).toBe(outcome);
		execution.stored = JSON.parse(JSON.stringify(execution.stored)) as object;
		expect(execution.record().recall(item())).toEqual(known);
	});

	test('that it may have been sent if the attempt ended before the response, or by an error', async () => {
		execution.record().begin(item());
		const recalled = execution.record().recall(item());
		expect(recalled).toMatchObject({
			failure: {
				message: 'The execution was interrupted before the service responded',
				sendStatus: 'mayHaveBeenSent',
			},
		});
		const error = new ServiceError('Cut', { kind: 'uncertain' });
		const send = async () => await Promise.reject(error);
		expect(await execution.record().guard(item(), send)).toEqual({ failure: error });
		expect(execution.record().recall(item())).toMatchObject({ failure: { message: 'Cut' } });
	});

	test('nothing of an operation that repeats what is uncertain, except results', async () => {
		const repeating = { ...createTemplate, repeatsUncertain: true };
		const record = execution.record(repeating);
		record.begin(item());
		expect(execution.record(repeating).recall(item())).toBeUndefined();
		await record.guard(item(), async () => await Promise.resolve(done));
		expect(execution.record(repeating).recall(item())).toEqual(done);
	});

	test('only by its index, its recipient and the operation, because a text may contain the time', () => {
		execution.record().begin(item({ index: 1 }));
		const known = (message: Message, operation = sendText) =>
			execution.record(operation).recall(item({ index: 1, ...message })) !== undefined;
		expect(known({ text: 'Now it is 10:31' })).toBe(true);
		expect(known({ index: 2 })).toBe(false);
		expect(known({ to: '+15550001001' })).toBe(false);
		expect(known({}, { ...sendText, value: 'other' })).toBe(false);
		expect(known({}, { ...sendText, resource: 'contact' })).toBe(false);
	});

	test('nothing once the run was cleared, or in another run', () => {
		execution.record().begin(item());
		execution.round = 1;
		expect(execution.record().recall(item())).toBeUndefined();
		execution.round = 0;
		expect(execution.record().recall(item())).toBeDefined();
		execution.record().clear();
		expect(execution.record().recall(item())).toBeUndefined();
	});
});

describe('the idempotency key of a message', () => {
	const key = (message: Message = {}) => execution.record().begin(item(message));

	test('is the same for all attempts of a run, and another one for another message', () => {
		const first = key();
		expect(first).toMatch(/^[0-9a-f]{32}$/);
		expect(key()).toBe(first);
		for (const other of [{ text: 'Corrected' }, { index: 1 }, { to: '+15550001001' }])
			expect(key(other)).not.toBe(first);
		execution.round = 1;
		expect(key()).not.toBe(first);
		expect(new Execution().record().begin(item())).not.toBe(first);
	});

	test('is that of its row in the campaign log, if it has one', () => {
		const inLog = { ...item(), idempotencyKey: 'key of the row' };
		expect(execution.record().begin(inLog)).toBe('key of the row');
		expect(execution.record().begin(inLog)).toBe('key of the row');
	});
});

describe('a tool call of an AI agent', () => {
	const name = (operation: Operation = sendText, items?: ValidItem[]) =>
		execution.record(operation, items).name;
	beforeEach(() => (execution.type = 'x.businessMessagingTool'));

	test('is known by what the model has said, whatever the number of the run and of the call', () => {
		execution.input = [{ text: 'Hi', toolCallId: '1' }];
		const first = name();
		execution.round = 1;
		execution.input = [{ text: 'Hi', toolCallId: '2' }];
		expect(name()).toBe(first);
		execution.input = [{ text: 'Bye' }];
		expect(name()).not.toBe(first);
		expect(first).toMatch(/^[0-9a-f]{32}$/);
	});

	test('is known by its texts if the model has said nothing', () => {
		execution.input = [{ toolCallId: '1' }];
		const first = name(sendText, [item()]);
		execution.round = 1;
		execution.input = [{ toolCallId: '2' }];
		expect(name(sendText, [item()])).toBe(first);
		expect(name(sendText, [item({ text: 'Bye' })])).toBe(first); // the same attempt
		execution.input = [{ toolCallId: '2' }];
		expect(name(sendText, [item({ text: 'Bye' })])).not.toBe(first);
		execution.input = [];
		expect(name(sendText, [item()])).toBe(first);
	});

	test('that asks a question is known by the number of its run in the engine of n8n, so that it may ask again', () => {
		execution.isToolExecution = () => false;
		expect(name(sendAndWait)).toBe('0');
		execution.isToolExecution = undefined;
		execution.round = 1;
		expect(name(sendAndWait)).toBe('1');
		expect(name(sendText)).toMatch(/^[0-9a-f]{32}$/);
		execution.isToolExecution = () => true;
		execution.input = [{ question: 'Now?' }];
		expect(name(sendAndWait)).toMatch(/^[0-9a-f]{32}$/);
	});

	test('is nothing else: the input of another node does not name its run', () => {
		execution.type = 'x.businessMessaging';
		execution.input = [{ text: 'Hi' }];
		expect(name()).toBe('0');
		execution.round = 1;
		expect(name()).toBe('1');
	});
});
