/** The options of the node that hold for a whole run. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { collectionField, numberField } from '../operations/fieldBuilders';

/** Read options: time limit of a request in ms, and most requests under way at the same time. */
export interface RunOptions {
	timeoutMs: number;
	concurrency: number;
}

const defaultTimeoutSeconds = 30;
const defaultConcurrency = 24;

/** The field for them, at the end of every operation. */
export const optionsField = collectionField({
	displayName: 'Options',
	name: 'options',
	placeholder: 'Add Option',
	fields: [
		numberField({
			displayName: 'Simultaneous Requests',
			name: 'concurrency',
			typeOptions: { minValue: 1, maxValue: 100 },
			default: defaultConcurrency,
			description:
				'How many requests may be under way at the same time when sending messages. Messages to the same person always go one after the other.',
		}),
		numberField({
			displayName: 'Time Limit',
			name: 'timeout',
			typeOptions: { minValue: 1 },
			default: defaultTimeoutSeconds,
			description: 'How many seconds the service may take to answer a request',
		}),
	],
});

/** Reads the options, which are those of the first item. */
export function readOptions(context: IExecuteFunctions): RunOptions {
	const { timeout, concurrency } = context.getNodeParameter('options', 0, {}) as {
		timeout?: unknown;
		concurrency?: unknown;
	};
	return {
		timeoutMs: positive(timeout, defaultTimeoutSeconds) * 1000,
		concurrency: Math.ceil(positive(concurrency, defaultConcurrency)),
	};
}

function positive(value: unknown, otherwise: number): number {
	const number = Number(value);
	return number > 0 && Number.isFinite(number) ? number : otherwise;
}
