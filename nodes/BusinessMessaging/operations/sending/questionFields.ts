/** Which answer a question expects, and the fields for it. */
import { clamp } from 'lodash';
import { z } from 'zod';

import { splitList } from '../../jsonValues';
import {
	type ValuesOf,
	booleanField,
	choiceField,
	collectionField,
	numberField,
	textField,
} from '../fields';
import { InputError } from '../../transport/errors';
import { approvalWords } from '../../readApproval';

/** The expected answer, and what happens after another one. */
export const expectedSchema = z.object({
	kind: z.enum(['approval', 'choice', 'date', 'email', 'freeText', 'number']),
	/** The possible answers of `choice`. */
	choices: z.array(z.string()),
	yesWords: z.array(z.string()),
	noWords: z.array(z.string()),
	/** What the date 01/02/2030 means; with `ask`, the person is asked which one. */
	dateOrder: z.enum(['ask', 'dayFirst', 'monthFirst']),
	/** Whether a date before today is no answer. */
	notBeforeToday: z.boolean(),
	/** The workflow's time zone: where "tomorrow" begins for somebody whose number says nothing about it. */
	timeZone: z.string(),
	/** The text of the question, if it may be repeated; empty for a template. */
	questionText: z.string(),
	/** If the person writes again within this time, ms, the message belongs to the same reply; 0 for never. */
	groupMs: z.number(),
	/** How often the question is repeated. */
	repeats: z.number(),
	/** The text that asks again; if it is empty, the question itself. */
	repeatText: z.string(),
});
export type ExpectedAnswer = z.infer<typeof expectedSchema>;
export type AnswerKind = ExpectedAnswer['kind'];
/** The expected answer alone. */
export type Expected = Omit<ExpectedAnswer, 'groupMs' | 'repeats' | 'repeatText' | 'questionText'>;

/** All settings of a question. */
export interface QuestionSettings extends ExpectedAnswer {
	/** How long replies count, ms. */
	limitMs: number;
	/** Whether a person who does not reply in time also gets an output item. */
	givesUnanswered: boolean;
}

/** The answer that is expected unless the user chooses otherwise. */
export function defaultAnswer(): Omit<QuestionSettings, 'limitMs'> {
	return {
		kind: 'freeText',
		choices: [],
		yesWords: approvalWords.yes,
		noWords: approvalWords.no,
		dateOrder: 'ask',
		notBeforeToday: true,
		timeZone: 'UTC',
		questionText: '',
		groupMs: 0,
		repeats: 2,
		repeatText: '',
		givesUnanswered: true,
	};
}

const minute = 60_000;
const unitMs = { minutes: minute, hours: 60 * minute, days: 24 * 60 * minute };
/** The longest time limit, days: n8n's timers and most services do not support more. */
const maxDays = 365;
const maxFurtherSeconds = 60;

/** The fields for the answer. n8n sets `responseType` to `approval` if the node approves a tool call of an AI agent. */
export const answerFields = [
	{
		displayName:
			'Every input item is asked, even if n8n says that this action runs only once, for the first item.',
		name: 'everyItemNotice',
		type: 'notice',
		default: '',
	},
	choiceField({
		displayName: 'Response Type',
		name: 'responseType',
		options: [
			{ name: 'Approval', value: 'approval', description: 'Yes or no' },
			{
				name: 'Date',
				value: 'date',
				description: 'A day, such as 31 December, 31/12/2030 or tomorrow',
			},
			{ name: 'Email', value: 'email', description: 'An email address' },
			{ name: 'Free Text', value: 'freeText', description: 'Whatever the person writes next' },
			{ name: 'Number', value: 'number', description: 'A number in digits' },
			{ name: 'One of a List', value: 'choice', description: 'One of the choices that you enter' },
		],
		default: 'freeText',
		description: 'What kind of reply is valid. After an invalid reply, the node asks again.',
	}),
	textField({
		displayName: 'Choices',
		name: 'choices',
		required: true,
		displayOptions: { show: { responseType: ['choice'] } },
		placeholder: 'e.g. Small, Medium, Large',
		description:
			"The possible answers, separated by commas. Also write them in the message. A reply may also be an answer's number, unless answers contain digits.",
	}),
	textField({
		displayName: 'Text After Invalid Reply',
		name: 'repeatText',
		displayOptions: { hide: { responseType: ['freeText'] } },
		placeholder: 'e.g. Sorry, I did not understand that.',
		description:
			'The message after an invalid reply. If it is empty, the question is repeated with an example or the choices, after a template only these.',
	}),
	numberField({
		displayName: 'Limit Wait Time',
		name: 'limitWaitTime',
		typeOptions: { minValue: 0 },
		default: 24,
		description:
			'How long to wait for the reply. If items have different times, the longest time counts for all items.',
	}),
	choiceField({
		displayName: 'Wait Time Unit',
		name: 'waitTimeUnit',
		options: [
			{ name: 'Days', value: 'days' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Minutes', value: 'minutes' },
		],
		default: 'hours',
		description: "The unit of 'Limit Wait Time'",
	}),
	collectionField({
		displayName: 'Reply Options',
		name: 'replyOptions',
		placeholder: 'Add Reply Option',
		description: 'How replies are read, and what happens without a reply',
		fields: [
			choiceField({
				displayName: 'Date Order',
				name: 'dateOrder',
				displayOptions: { show: { '/responseType': ['date'] } },
				options: [
					{
						name: 'Ask if Unclear',
						value: 'ask',
						description:
							'01/02/2030 is not valid, and the person is asked which of the two days is meant',
					},
					{
						name: 'Day First',
						value: 'dayFirst',
						description: '01/02/2030 is the first of February',
					},
					{
						name: 'Month First',
						value: 'monthFirst',
						description: '01/02/2030 is the second of January',
					},
				],
				default: 'ask',
				description: 'How dates such as 01/02/2030 are read',
			}),
			textField({
				displayName: 'No Words',
				name: 'noWords',
				displayOptions: { show: { '/responseType': ['approval'] } },
				typeOptions: { rows: 3 },
				default: approvalWords.no.join(', '),
				placeholder: 'e.g. no, never',
				description:
					'Words for "no", separated by commas. Polite words in the reply, such as "please", make no difference.',
			}),
			booleanField({
				displayName: 'Not Before Today',
				name: 'notBeforeToday',
				displayOptions: { show: { '/responseType': ['date'] } },
				default: true,
				description:
					'Whether a date before today is invalid. Turn this off to ask for a date in the past, such as a birthday.',
			}),
			choiceField({
				displayName: 'On Timeout',
				name: 'onTimeout',
				options: [
					{
						name: 'Output an Item',
						value: 'item',
						description:
							'Output an item for each person who has not replied in time, with replied: false',
					},
					{
						name: 'Output Nothing',
						value: 'nothing',
						description: 'Only the replies that arrived in time',
					},
				],
				default: 'item',
				description: 'What to output for somebody who does not reply in time',
			}),
			numberField({
				displayName: 'Repeat Question',
				name: 'repeats',
				typeOptions: { minValue: 0, maxValue: 10 },
				displayOptions: { hide: { '/responseType': ['freeText'] } },
				default: 2,
				description:
					'How many times to repeat the question after an invalid reply. After that, the node outputs the last reply with valid: false.',
			}),
			numberField({
				displayName: 'Wait for Further Messages (Seconds)',
				name: 'furtherMessages',
				typeOptions: { minValue: 0, maxValue: maxFurtherSeconds },
				displayOptions: { show: { '/responseType': ['freeText'] } },
				description:
					'How long the person must be silent before the reply is complete. Several messages then count as one. With 0, the first message is the reply.',
			}),
			textField({
				displayName: 'Yes Words',
				name: 'yesWords',
				displayOptions: { show: { '/responseType': ['approval'] } },
				typeOptions: { rows: 3 },
				default: approvalWords.yes.join(', '),
				placeholder: 'e.g. yes, of course',
				description:
					'Words for "yes", separated by commas. Polite words in the reply, such as "please", make no difference.',
			}),
		],
	}),
] as const;

/** Reads the fields for the answer. @throws InputError for an invalid time limit and for a list without choices */
export function readSettings(
	{
		responseType,
		choices,
		limitWaitTime,
		waitTimeUnit,
		repeatText = '',
		replyOptions = {},
	}: ValuesOf<typeof answerFields>,
	timeZone: string,
	questionText: string,
): QuestionSettings {
	const limitMs = Number(limitWaitTime) * (unitMs[waitTimeUnit] ?? Number.NaN);
	if (!(limitMs > 0 && limitMs <= maxDays * unitMs.days)) {
		throw new InputError(
			`'Limit Wait Time' must be more than 0 and at most ${maxDays} days`,
			'Enter how long to wait for the reply.',
		);
	}
	const list = responseType === 'choice' ? readChoices(choices) : [];
	const { repeats, yesWords, noWords, dateOrder, notBeforeToday, onTimeout } = replyOptions;
	const seconds = responseType === 'freeText' ? Number(replyOptions.furtherMessages) || 0 : 0;
	const maxRepeats = Math.max(0, Math.floor(Number(repeats ?? 2)) || 0);
	const isRepeated = responseType !== 'freeText' && maxRepeats > 0 && !repeatText.trim();
	return {
		kind: responseType,
		choices: list,
		limitMs,
		groupMs: 1_000 * clamp(seconds, 0, maxFurtherSeconds),
		repeats: maxRepeats,
		repeatText: repeatText.trim(),
		questionText: isRepeated ? questionText.trim() : '',
		yesWords: yesWords === undefined ? approvalWords.yes : split(yesWords),
		noWords: noWords === undefined ? approvalWords.no : split(noWords),
		dateOrder: dateOrder === 'dayFirst' || dateOrder === 'monthFirst' ? dateOrder : 'ask',
		notBeforeToday: notBeforeToday !== false,
		timeZone: responseType === 'date' ? timeZone : 'UTC',
		givesUnanswered: onTimeout !== 'nothing',
	};
}

function readChoices(text: string): string[] {
	const list = split(text);
	if (list.length > 0) return list;
	throw new InputError("'Choices' is empty", 'Enter the possible answers, separated by commas.');
}

/** Splits a list of words. Commas and line breaks separate them, because an answer may contain a semicolon. */
function split(text: string): string[] {
	return splitList(text, /[,\n]/);
}
