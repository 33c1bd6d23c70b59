/** A run of the node that asks, and how it begins to wait. */
import { randomUUID } from 'crypto';
import { omit } from 'lodash';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { toErrorItem } from '../execution/errors';
import { type Item, type ValidItem, isDone, isValid } from '../execution/item';
import { asText } from '../operations/asText';
import type { QuestionSettings } from '../operations/message/question';
import { hasFailed } from '../operations/outcome';
import type { Client } from '../transport/client';
import { type Person, type Questions, graceMs } from '../webhooks/question';
import { type Question, type Wait, keepWait } from './wait';

const timeKeys = ['timestamp', 'time', 'createdAt', 'created_at', 'sentAt'];

/** A run of the node that asks. */
export class Asking {
	readonly run = randomUUID();
	/** The items that ask. */
	readonly asked: ValidItem[];
	private readonly startedAt = Date.now();
	/** The different settings of the questions, by their text. */
	private readonly settings = new Map<string, QuestionSettings>();

	constructor(
		readonly context: IExecuteFunctions,
		readonly client: Client,
		private readonly items: Item[],
	) {
		this.asked = items.filter(isValid);
		for (const { request } of this.asked) {
			if (request.question) this.settings.set(JSON.stringify(request.question), request.question);
		}
	}

	/** What counts as an answer counts for this long, ms. */
	get limitMs(): number {
		return Math.max(0, ...[...this.settings.values()].map(({ limitMs }) => limitMs));
	}

	/** The questions of those who were asked so far. */
	get questions(): Question[] {
		const indexes = new Map([...this.settings.keys()].map((text, index) => [text, index]));
		return this.asked.filter(isDone).map(({ index, request, outcome }) => {
			const [record = {}] = outcome && !hasFailed(outcome) ? outcome.records : [];
			const time = timeKeys.map((key) => record[key]).find((value) => typeof value === 'string');
			return {
				item: index,
				to: asText(request.body?.to),
				askedMessageId: (record.messageId ?? null) as string | null,
				askedTime: Date.parse(asText(time)) || 0,
				expected: indexes.get(JSON.stringify(request.question)) ?? 0,
			};
		});
	}

	/** The same as the triggers take them. */
	get people(): Person[] {
		return this.questions.map(({ item, to, expected, askedTime }) => [
			item,
			to,
			expected,
			askedTime,
		]);
	}

	/** What a trigger has to know before the first question is sent. The time limit counts from the last one. */
	toQuestions(url: string): Questions {
		const settings = [...this.settings.values()];
		return {
			run: this.run,
			url,
			asked: this.startedAt,
			until: Date.now() + this.limitMs,
			expected: settings.map((one) => omit(one, 'limitMs', 'givesUnanswered')),
			people: this.asked.map(({ index, request }) => [index, asText(request.body?.to), 0, null]),
			answers: [],
			isWhole: false,
		};
	}

	/** Has n8n wait until the questions are answered, or somewhat longer than the time limit. */
	async wait(until: number, registration?: Wait['registration']): Promise<true> {
		const { context, run, questions, items } = this;
		const settings = [...this.settings.values()];
		const failed = items.flatMap(({ index, outcome }): INodeExecutionData[] =>
			hasFailed(outcome) ? [toErrorItem(outcome.failure, index)] : [],
		);
		keepWait(context, { run, until, questions, settings, failed, registration });
		await context.putExecutionToWait(new Date(until + graceMs));
		return true;
	}
}
