/** The collection "Options" at the end of every operation. */
import { maxTimeoutSeconds } from '../transport/deadline';
import { type Field, collectionField, numberField } from './fieldBuilders';

export const defaultTimeoutSeconds = 30;
export const defaultConcurrency = 24;

const concurrencyField = numberField({
	displayName: 'Simultaneous Requests',
	name: 'concurrency',
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	default: defaultConcurrency,
	description:
		'How many messages may be on their way at the same time. Messages to the same person always go one after the other.',
});

const timeoutField = numberField({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	typeOptions: { minValue: 1, maxValue: maxTimeoutSeconds },
	default: defaultTimeoutSeconds,
	description: 'How many seconds the service may take to respond to a request',
});

/**
 * The field for the options.
 *
 * @param own options that this operation has beside those of all, or of all that send side by side
 */
export function optionsField(own: readonly Field[], isConcurrent: boolean): Field {
	const fields = [...own, ...(isConcurrent ? [concurrencyField] : []), timeoutField];
	return collectionField({
		displayName: 'Options',
		name: 'options',
		placeholder: 'Add Option',
		fields: fields.sort((a, b) => a.displayName.localeCompare(b.displayName)),
	});
}
