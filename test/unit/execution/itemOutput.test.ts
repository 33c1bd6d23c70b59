/** The output of an item for each end that it may have, and its error as n8n shows it. */
import {
	type IExecuteFunctions,
	type INode,
	NodeApiError,
	NodeOperationError,
	type OnError,
} from 'n8n-workflow';

import type { Item } from '../../../nodes/BusinessMessaging/execution/item';
import {
	toNodeError,
	toOutput,
	toOutputs,
} from '../../../nodes/BusinessMessaging/execution/itemOutput';
import { getContacts } from '../../../nodes/BusinessMessaging/operations/contact/getAll';
import type { Operation } from '../../../nodes/BusinessMessaging/operations/operation';
import { sendAndWait } from '../../../nodes/BusinessMessaging/operations/message/sendAndWait';
import { sendText } from '../../../nodes/BusinessMessaging/operations/message/sendText';
import { InputError, ServiceError } from '../../../nodes/BusinessMessaging/transport/errors';

const node = (type = 'businessMessaging', onError?: OnError): INode => ({
	...{ id: '1', name: 'Send', type, typeVersion: 1, position: [0, 0], parameters: {} },
	onError,
});
const item = (more: Partial<Item>, to?: unknown): Item => ({
	index: 3,
	input: {},
	request: to === undefined ? undefined : { body: { to } },
	...more,
});
const failure = new ServiceError('No credit', {
	kind: 'refused',
	statusCode: 402,
	description: 'Top up.',
});
const bare = new ServiceError('No', { kind: 'uncertain' });
const pairedItem = { item: 3 };
const error = {
	error: 'No credit',
	details: { description: 'Top up.', statusCode: 402, sendStatus: 'notSent' },
};
const result = {
	to: '+15550001000',
	sendStatus: 'notSent',
	messageId: null,
	reason: 'No credit',
};

describe('the output of', () => {
	const message = { isMessage: true };

	test('an item that was not carried out is empty', () => {
		expect(toOutput(node(), item({}), message)).toEqual([]);
	});

	test('an item that was carried out is its records', () => {
		const outcome = { records: [{ id: 1, messageId: 'm1' }, { id: 2 }] };
		expect(toOutput(node(), item({ outcome }), message)).toEqual([
			{ json: { id: 1, messageId: 'm1' }, pairedItem },
			{ json: { id: 2 }, pairedItem },
		]);
	});

	test('a preview has no message ID', () => {
		const preview = { isMessage: true, isPreview: true };
		const outcome = { records: [{ to: '+1', messageId: null, sendStatus: 'preview' }] };
		const [{ json }] = toOutput(node(), item({ outcome }), preview);
		expect(json).toEqual({ to: '+1', sendStatus: 'preview' });
		const [{ json: failed }] = toOutput(node(), item({ outcome: { failure } }, '+1'), preview);
		expect(failed).toMatchObject({ to: '+1', reason: 'No credit. Top up.' });
		expect(failed).not.toHaveProperty('messageId');
		expect(failed).not.toHaveProperty('error');
		const [{ json: short }] = toOutput(node(), item({ outcome: { failure: bare } }, '+1'), preview);
		expect(short.reason).toBe('No');
	});

	test.each<[OnError, boolean, object]>([
		['continueRegularOutput', true, { ...result, ...error }],
		['continueErrorOutput', true, error],
		['continueRegularOutput', false, error],
		['continueErrorOutput', false, error],
	])('a failed item with %s, a message (%j), is %j', (onError, isMessage, json) => {
		const failed = item({ outcome: { failure } }, '+15550001000');
		expect(toOutput(node(undefined, onError), failed, { isMessage })).toEqual([
			{ json, pairedItem },
		]);
	});

	test('a failed item has an error beside its fields, by which older n8n find it, but the next node does not', async () => {
		const failed = { ...item({ outcome: { failure } }), files: {} };
		const context = {
			getNode: () => node(undefined, 'continueErrorOutput'),
			getNodeParameter: () => true,
		} as unknown as IExecuteFunctions;
		const outputs = await toOutputs(context, sendText, [failed]);
		for (const output of [...toOutput(context.getNode(), failed, message), ...outputs]) {
			expect(output.error).toEqual({ message: 'No credit' });
			expect({ ...output }).not.toHaveProperty('error');
			output.error = undefined; // as n8n does
		}
	});

	test('a failed item has only the details that there are', () => {
		const [{ json }] = toOutput(node(), item({ outcome: { failure: bare } }), message);
		expect(json.error).toBe('No');
		expect(json.details).toEqual({ sendStatus: 'mayHaveBeenSent' });
		expect(json.to).toBeNull();
		const list = item({ outcome: { failure: bare } }, ['+1']);
		expect(toOutput(node(), list, message)[0].json.to).toBe('["+1"]');
	});
});

describe('the outputs of all items', () => {
	const contextOf = (keeps: unknown) =>
		({
			getNode: () => node(undefined, 'continueErrorOutput'),
			getNodeParameter: (name: string) =>
				name === 'options.includeOtherFields' ? keeps : undefined,
		}) as unknown as IExecuteFunctions;
	const items = [
		item({ index: 0, input: { to: 'x', name: 'Anna', reason: 'old' }, outcome: { failure } }),
		item({
			index: 1,
			input: { name: 'Ben', skipped: true, messageId: 'old', n: 1 },
			outcome: { records: [{ to: '+1', sendStatus: 'accepted' }] },
		}),
		item({
			index: 2,
			input: { name: 'Cleo', error: 'old', sendStatus: 'old' },
			outcome: {
				records: [{ to: '+2', sendStatus: 'skipped', reason: 'excluded', skipped: true }],
				isLeftOut: true,
			},
		}),
	];
	const jsons = async (keeps: unknown, operation: Operation = sendText) =>
		(await toOutputs(contextOf(keeps), operation, items)).map(({ json }) => json);

	test('are in the order of the items', async () => {
		const outputs = await toOutputs(contextOf(false), sendText, items);
		expect(outputs.map((output) => output.pairedItem)).toEqual([0, 1, 2].map((n) => ({ item: n })));
		expect(outputs.map(({ json }) => Object.keys(json))).toEqual([
			['error', 'details'],
			['to', 'sendStatus'],
			['to', 'sendStatus', 'reason', 'skipped'],
		]);
	});

	test('may keep the fields of the input, except those that would look like results; the first result has all columns', async () => {
		const [failed, ...results] = await jsons(true);
		expect(failed).toEqual(error);
		expect(results.map((json) => Object.entries(json))).toEqual([
			[
				['to', '+1'],
				['sendStatus', 'accepted'],
				['reason', null],
				['name', 'Ben'],
				['n', 1],
			],
			[
				['to', '+2'],
				['sendStatus', 'skipped'],
				['reason', 'excluded'],
				['skipped', true],
				['name', 'Cleo'],
			],
		]);
	});

	test.each([
		['a value that is not true', 'yes', sendText],
		['an operation that waits', true, sendAndWait],
		['an operation that sends nothing', true, getContacts],
	])('never keep them with %s', async (_, keeps, operation) => {
		const [, second] = await jsons(keeps, operation);
		expect(second).toEqual({ to: '+1', sendStatus: 'accepted' });
	});
});

describe('the error that stops the execution', () => {
	test('of the service names the item, and the note follows its description', () => {
		const shown = toNodeError(node(), failure, 3, 'Nothing was sent.');
		expect(shown).toBeInstanceOf(NodeApiError);
		expect(shown).toMatchObject({
			message: 'No credit [item 3]',
			description: 'Top up. Nothing was sent.',
			httpCode: '402',
			context: { itemIndex: 3, sendStatus: 'notSent' },
		});
	});

	test('of one of several items says which row that is', () => {
		const shown = toNodeError(node(), failure, 3, 'Nothing was sent.', 9);
		expect(shown.description).toBe(
			'Top up. Nothing was sent. Item 3 is row 4 of the input: n8n counts from 0.',
		);
	});

	test('with words of n8n that have no full stop is still in sentences', () => {
		const full = new ServiceError('Full', {
			kind: 'refused',
			description: 'n8n says: limit is 0MB',
		});
		const shown = (note: string) => toNodeError(node(), full, 0, note).description;
		expect(shown('1 of 2 items is done.')).toBe('n8n says: limit is 0MB. 1 of 2 items is done.');
		expect(shown('')).toBe('n8n says: limit is 0MB');
	});

	test('of the input is no error of the service', () => {
		const shown = toNodeError(node(), new InputError('No text', 'Fill it in.'), 0, '');
		expect(shown).toBeInstanceOf(NodeOperationError);
		expect(shown).toMatchObject({ message: 'No text [item 0]', description: 'Fill it in.' });
	});

	test.each([
		[failure, 'Nothing was sent.', 'No credit. Top up. Nothing was sent.'],
		[bare, 'Nothing was sent.', 'No. Nothing was sent.'],
		[bare, '', 'No'],
	])('of a tool says all in its message, which is all that a model sees', (one, note, message) => {
		expect(toNodeError(node('businessMessagingTool'), one, 0, note).message).toBe(message);
	});
});
