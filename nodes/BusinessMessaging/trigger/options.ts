/** The options of the trigger. */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { booleanField, collectionField, numberField } from '../operations/fieldBuilders';

/** Read options. */
export interface TriggerOptions {
	/** Whether files that messages bring along come out as binary data. */
	downloadsMedia: boolean;
	/** Largest file to download, bytes. */
	largestFile: number;
	/** Largest body of a delivery, bytes. */
	largestBody: number;
	/** Whether an event that was delivered before starts another execution. */
	takesRepeats: boolean;
	/** A registration whose secret has another version gets a new secret. */
	secretVersion: number;
}

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** The field for them. */
export const optionsField = collectionField({
	displayName: 'Options',
	name: 'options',
	placeholder: 'Add Option',
	fields: [
		booleanField({
			displayName: 'Download Media',
			name: 'downloadMedia',
			default: false,
			description:
				'Whether to download the file of a message (a picture, a document) into a binary field, if the event brings a public HTTPS address of it',
		}),
		numberField({
			displayName: 'Largest Body',
			name: 'largestBody',
			typeOptions: { minValue: 1 },
			default: 1024,
			description: 'How many kilobytes a delivery may have. A larger one is refused.',
		}),
		numberField({
			displayName: 'Largest File',
			name: 'largestFile',
			typeOptions: { minValue: 1 },
			default: 16,
			description: 'How many megabytes a file may have to be downloaded with Download Media',
		}),
		numberField({
			displayName: 'Secret Version',
			name: 'secretVersion',
			typeOptions: { minValue: 1 },
			default: 1,
			description:
				'The registered URL holds a secret, so that nobody else can start the workflow. Change this number if others may have seen it, and activate the workflow again: a new secret is made, and the old one is refused.',
		}),
		booleanField({
			displayName: 'Take Repeats',
			name: 'takeRepeats',
			default: false,
			description:
				'Whether an event that the service delivers once more starts the workflow once more. Otherwise each event starts it once.',
		}),
	],
});

/** Reads the options. */
export function readOptions(context: IHookFunctions | IWebhookFunctions): TriggerOptions {
	const options = context.getNodeParameter('options', {}) as Record<string, unknown>;
	return {
		downloadsMedia: options.downloadMedia === true,
		largestFile: (Number(options.largestFile) || 16) * megabyte,
		largestBody: (Number(options.largestBody) || 1024) * kilobyte,
		takesRepeats: options.takeRepeats === true,
		secretVersion: Number(options.secretVersion) || 1,
	};
}
