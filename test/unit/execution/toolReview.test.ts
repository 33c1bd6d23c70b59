/** What a person reads who has to allow the tool call of an AI agent. */
import type { INode } from 'n8n-workflow';

import {
	isTool,
	isToolParameters,
	isToolReview,
	toLines,
	withAnswers,
} from '../../../nodes/BusinessMessaging/execution/toolReview';

const node = (type: string) => ({ type }) as INode;

test.each([
	['n8n-nodes-business-messaging.businessMessaging', false, false],
	['n8n-nodes-business-messaging.businessMessagingTool', true, false],
	['n8n-nodes-business-messaging.businessMessagingHitlTool', true, true],
	['@n8n/nodes.toolHitlToolbox', false, false],
])('a node of the type %s: a tool (%j), a review (%j)', (type, tool, review) => {
	expect([isTool(node(type)), isToolReview(node(type))]).toEqual([tool, review]);
});

test.each([
	['$tool.parameters', true],
	[' $tool.parameters\n', true],
	['$tool.parameters.to', false],
	['$tool.name', false],
	['x$tool.parameters', false],
	['JSON.stringify($tool.parameters)', false],
])('%j is all parameters of the tool: %j', (code, expected) => {
	expect(isToolParameters(code)).toBe(expected);
});

test.each<[value: unknown, lines: string]>([
	['Hi', 'Hi'],
	[7, '7'],
	[undefined, ''],
	[{ to: 'Anna', count: 2, none: null }, 'to: Anna\ncount: 2\nnone:'],
	[{ a: { b: { c: 1 } }, d: 2 }, 'a:\n  b:\n    c: 1\nd: 2'],
	[{ list: ['x', { y: 1 }] }, 'list:\n  - x\n  -\n    y: 1'],
	[{ empty: {} }, 'empty:'],
	[['a', 'b'], '- a\n- b'],
])('%j is shown as %j', (value, lines) => {
	expect(toLines(value)).toBe(lines);
});

const parameters = '{{ $tool.parameters }}';

test.each([
	[`Send? ${parameters}`, true],
	[`${parameters} Yes or no?`, false],
	[`Senden? ${parameters} (JA oder nein)`, false],
	[`¿Sí? ${parameters}`, false],
	[`Yesterday: ${parameters}`, true],
	[`Jahr: ${parameters}`, true],
	['Send? {{ $json.text }}', false],
	['Send it?', false],
])('the message %j gets words for the answer: %j', (written, expected) => {
	const message = 'Send this?  \n';
	const added = 'Send this?\n\nReply yes or no.';
	expect(withAnswers(message, written)).toBe(expected ? added : message);
});
