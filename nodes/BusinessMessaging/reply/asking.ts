/** A run of the node that asks, and how it begins to wait. */
import { randomUUID } from 'crypto';
import { omit } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import { type Item, type ValidItem, isDone, isWanted } from '../execution/item';
import { toOutput } from '../execution/run';
import { asText } from '../operations/asText';
import type { QuestionSettings } from '../operations/message/question';
import { hasFailed } from '../operations/outcome';
import type { Client } from '../transport/client';
import { type Person, type Questions, graceMs } from '../webhooks/question';
import { type Question, type Wait, waitKey } from './wait';

const timeKeys = ['timestamp', 'time', 'createdAt', 'created_at', 'sentAt'];

/** A run of the node that asks. */
export class Asking {
	readonly run = randomUUID();
	/** The items that ask. */
	readonly asked: ValidItem[];
	/** How long answers count, ms. */
	readonly limitMs: number;
	private readonly startedAt = Date.now();
	/** The different settings of the questions, and what tells them apart. */
	private readonly settings: QuestionSettings[];
	private readonly indexes: Map<string, number>;

	constructor(
		readonly context: IExecuteFunctions,
		readonly client: Client,
		private readonly items: Item[],
	) {
		this.asked = items.filter(isWanted);
		const texts = new Set(this.asked.map(({ request }) => JSON.stringify(request.question)));
		this.indexes = new Map([...texts].map((text, index) => [text, index]));
		this.settings = [...texts].map((text) => JSON.parse(text) as QuestionSettings);
		this.limitMs = this.settings.reduce((most, { limitMs }) => Math.max(most, limitMs), 0);
	}

	/** The questions that were sent so far. */
	get questions(): Question[] {
		return this.asked.filter(isDone).map(({ index, request, outcome }) => {
			const [record = {}] = outcome && !hasFailed(outcome) ? outcome.records : [];
			const time = timeKeys.map((key) => record[key]).find((value) => typeof value === 'string');
			return {
				item: index,
				to: asText(request.body?.to),
				askedMessageId: (record.messageId ?? null) as string | null,
				askedTime: Date.parse(asText(time)) || 0,
				expected: this.indexes.get(JSON.stringify(request.question)) ?? 0,
			};
		});
	}

	/** Those who were asked so far, as the triggers take them. */
	get people(): Person[] {
		return this.questions.map((one) => [one.item, one.to, one.expected, one.askedTime]);
	}

	/** What a trigger has to know before the first question is sent. */
	toQuestions(url: string): Questions {
		return {
			run: this.run,
			url,
			asked: this.startedAt,
			until: Date.now() + this.limitMs,
			expected: this.settings.map((one) => omit(one, 'limitMs', 'givesUnanswered')),
			people: this.asked.map(({ index, request }) => [index, asText(request.body?.to), 0, null]),
			answers: [],
			isWhole: false,
		};
	}

	/** Has n8n wait until the questions are answered, or somewhat longer than the time limit. */
	async wait(until: number, registration?: Wait['registration']): Promise<true> {
		const { context, run, questions, settings } = this;
		const others = this.items.filter((item) => !isWanted(item));
		const notAsked = others.flatMap((item) => toOutput(context, item, true));
		const wait: Wait = { run, until, questions, settings, notAsked, registration };
		context.getContext('node')[waitKey] = wait;
		await context.putExecutionToWait(new Date(until + graceMs));
		return true;
	}
}
