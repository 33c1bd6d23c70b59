/** The human review of a tool call: shows the record that n8n inserts for `{{ $tool.parameters }}` as lines of text. */
import { isObject } from 'lodash';
import type { INode } from 'n8n-workflow';

import { textOrJson, isRecord } from '../jsonValues';

const toolParameters = /^\s*\$tool\.parameters\s*$/;
/** Words for yes, in the languages of Yes Words. */
const yes = /(?<!\p{L})(yes|ja|oui|sí|si|sim)(?!\p{L})/iu;

/** Whether a node is the review step that n8n makes of Send and Wait for Response. */
export function isToolReview({ type }: INode): boolean {
	return type.endsWith('HitlTool');
}

/** Whether a node is a tool of an AI agent. */
export function isTool({ type }: INode): boolean {
	return type.endsWith('Tool');
}

/** Whether an expression stands for the parameters of the tool call. */
export function isToolParameters(code: string): boolean {
	return toolParameters.test(code);
}

/** A record as lines such as `Recipient: Anna`; records and lists inside it are indented. */
export function toLines(value: unknown, indent = ''): string {
	if (!isObject(value)) return `${indent}${textOrJson(value)}`;
	const entries = isRecord(value)
		? Object.entries(value).map(([name, one]) => [`${name}:`, one] as const)
		: Object.values(value).map((one: unknown) => ['-', one] as const);
	const lines = entries.map(([name, one]) =>
		isObject(one)
			? `${indent}${name}\n${toLines(one, `${indent}  `)}`
			: `${indent}${name} ${textOrJson(one)}`,
	);
	return lines.map((line) => line.trimEnd()).join('\n');
}

/** Adds how to answer, unless the message says it. `written` is the text before n8n filled in the expressions. */
export function withAnswers(message: string, written: string): string {
	const shown = written.split(/\{\{|\}\}/).some(isToolParameters);
	return shown && !yes.test(written) ? `${message.trimEnd()}\n\nReply yes or no.` : message;
}
