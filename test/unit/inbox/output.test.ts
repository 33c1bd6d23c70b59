/** The items with which a waiting execution continues. */
import type { INode, INodeExecutionData } from 'n8n-workflow';

import type { Run } from '../../../nodes/BusinessMessaging/inbox/core';
import { outputsOf, outputsWithoutReplies } from '../../../nodes/BusinessMessaging/inbox/output';
import { byItem, messageOf, personOf, questionOf, runOf } from './parts';

const outputOf = (
	run: Partial<Run>,
	type = 'businessMessaging',
	notAsked: INodeExecutionData[] = [],
) => outputsOf({ type } as INode, runOf(run), notAsked);

const silent = {
	...{ replied: false, valid: false, from: '+15550001000', answer: null },
	askedMessageId: 'asked',
};
const asked = { askedMessageId: 'asked' };

test('a reply becomes an item with its text, answer, time and IDs', () => {
	const messages = [messageOf('Fine', { messageId: 'm1' })];
	const people = byItem([personOf(0, { ...asked, messages, isValid: true })]);
	const json = {
		...{ replied: true, valid: true, from: '+15550001000', text: 'Fine', answer: 'Fine' },
		...{ messageId: 'm1', respondedAt: 'at Fine', askedMessageId: 'asked' },
	};
	expect(outputOf({ people })).toStrictEqual([{ json, pairedItem: { item: 0 } }]);
});

test('grouped messages become one item: the text of all, the ID and time of the last, and each of them', () => {
	const messages = [messageOf('Hm', { messageId: 'm1' }), messageOf('Tuesday')];
	const people = byItem([personOf(0, { ...asked, messages, isValid: true, sender: 'US.1' })]);
	const json = {
		...{ replied: true, valid: true, from: '+15550001000', senderId: 'US.1' },
		...{ text: 'Hm\nTuesday', answer: 'Hm\nTuesday', messageId: null, respondedAt: 'at Tuesday' },
		messages: [
			{ text: 'Hm', respondedAt: 'at Hm', messageId: 'm1' },
			{ text: 'Tuesday', respondedAt: 'at Tuesday' },
		],
		askedMessageId: 'asked',
	};
	const run = { people, questions: [questionOf({ groupMs: 8_000 })] };
	expect(outputOf(run)).toStrictEqual([{ json, pairedItem: { item: 0 } }]);
});

test.each<[string, approved: boolean, answer: unknown, isValid: boolean | undefined]>([
	['yes', true, true, true],
	['no', false, false, true],
	['maybe', false, null, false],
	['yes', false, null, undefined],
])(
	'the reply %j to an approval: approved %j, answer %j (valid: %j)',
	(text, approved, answer, isValid) => {
		const people = byItem([personOf(0, { messages: [messageOf(text)], isValid })]);
		const run = { people, questions: [questionOf({ kind: 'approval' })] };
		const json = { approved, answer, valid: isValid === true };
		const [item] = outputOf(run);
		expect(item.json).toMatchObject(json);
		expect(item.json).not.toHaveProperty('chatInput');
		const [review] = outputOf(run, 'businessMessagingHitlTool');
		expect(review.json).toMatchObject(json);
		expect(review.json.chatInput).toBe(isValid ? undefined : text);
	},
);

test('only the answer to an approval says whether it is approved, and only a reply to a review has an input for the model', () => {
	const people = byItem([personOf(0, { messages: [messageOf('Fine')], isValid: true })]);
	const [item] = outputOf({ people });
	for (const name of ['approved', 'chatInput', 'senderId', 'optedOut', 'textIsCut', 'messages'])
		expect(item.json).not.toHaveProperty(name);
	const [review] = outputOf({ people }, 'businessMessagingHitlTool');
	expect(review.json).not.toHaveProperty('chatInput');
});

test('an item says that a text was cut or that the person has opted out, if one of its messages shows it', () => {
	const messages = [messageOf('Hm', { isCut: true, isOptOut: true }), messageOf('Tuesday')];
	const questions = [questionOf({ groupMs: 8_000 })];
	const [{ json }] = outputOf({ people: byItem([personOf(0, { messages })]), questions });
	expect(json).toMatchObject({ textIsCut: true, optedOut: true });
	expect(json.messages).toEqual([
		{ text: 'Hm', respondedAt: 'at Hm' },
		{ text: 'Tuesday', respondedAt: 'at Tuesday' },
	]);
});

test.each<[givesUnanswered: boolean, type: string, kind: 'freeText' | 'approval', items: object[]]>(
	[
		[true, 'businessMessaging', 'freeText', [silent]],
		[true, 'businessMessaging', 'approval', [{ ...silent, approved: false }]],
		[false, 'businessMessaging', 'approval', []],
		[false, 'businessMessagingHitlTool', 'approval', [{ ...silent, approved: false }]],
	],
)(
	'for somebody who has not replied (output an item: %j, node: %s, %s), the items are %j',
	(givesUnanswered, type, kind, items) => {
		const questions = [questionOf({ kind, givesUnanswered })];
		const run = { people: byItem([personOf(0, asked)]), questions };
		expect(outputOf(run, type).map(({ json }) => json)).toStrictEqual(items);
	},
);

test('replies and items that asked nobody come in the order of the input, each with its own question', () => {
	const people = byItem([
		personOf(3, { messages: [messageOf('yes')], isValid: true }),
		personOf(0, { messages: [messageOf('yes')], isValid: true, question: 1 }),
	]);
	const notAsked = [2, 1].map((item) => ({ json: { skipped: item }, pairedItem: { item } }));
	const questions = [questionOf(), questionOf({ kind: 'approval' })];
	const items = outputOf({ people, questions }, undefined, notAsked);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3].map((item) => ({ item })));
	expect(items.map(({ json }) => json.answer)).toEqual([true, undefined, undefined, 'yes']);
});

test.each<[who: string, givesUnanswered: boolean, expected: string, notAsked: number[]]>([
	['for everybody', true, 'phone 0, skipped 1, phone 2', [1]],
	['for nobody, if all items that are left keep their places', false, '', []],
	[
		'for everybody, if another item would move to the place of somebody',
		false,
		'phone 0, skipped 1, phone 2',
		[1],
	],
])('if n8n itself ends the wait, there is an item %s', (_, givesUnanswered, expected, skipped) => {
	const people = byItem([0, 2].map((item) => personOf(item, { to: `phone ${item}` })));
	const questions = [questionOf({ givesUnanswered })];
	const notAsked = skipped.map((item) => ({
		...{ json: { from: `skipped ${item}` }, pairedItem: { item } },
	}));
	const outputs = outputsWithoutReplies({ type: '' } as INode, { people, questions }, notAsked);
	expect(outputs.map(({ json }) => json.from).join(', ')).toBe(expected);
});
