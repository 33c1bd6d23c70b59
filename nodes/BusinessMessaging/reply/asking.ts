/** A run of the node that asks. While it waits, its data is in the node's context, which n8n stores with the execution. */
import { randomUUID } from 'crypto';
import { omit } from 'lodash';
import type { IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { asMilliseconds, asText } from '../api/read';
import { type Item, type ValidItem, hasFailed, isDone, isWanted } from '../execution/item';
import { toOutput } from '../execution/output';
import type { QuestionSettings } from '../operations/message/question';
import type { Client } from '../transport/client';
import { type Person, type Questions, graceMs } from '../webhooks/question';
import { readTime } from '../webhooks/simpleEvent';

/** A question that was asked. */
export interface Question {
	/** Index of the item that asks. */
	item: number;
	/** Who was asked, E.164. */
	to: string;
	/** Identifier of the message with the question, if the service gave one. */
	askedMessageId: string | null;
	/** When it was sent by the service's clock, ms since 1970; 0 if the service does not say. */
	askedTime: number;
	/** Index of its settings in the wait. */
	expected: number;
}

/** A run of the node that waits. */
export interface Wait {
	/** Distinguishes the rounds of a loop. */
	run: string;
	/** When the time is up, ms since 1970. */
	until: number;
	questions: Question[];
	settings: QuestionSettings[];
	/** The output of the items that failed or were left out while the others were asked. */
	notAsked: INodeExecutionData[];
	/** The registration at the service, if no trigger receives the replies. */
	registration?: { id?: string };
}

/** The name of the wait in the node's context. */
const waitKey = 'wait';

/** A run of the node that asks. */
export class Asking {
	readonly run = randomUUID();
	/** The items that ask. */
	readonly asked: ValidItem[];
	/** How long answers count, ms. */
	readonly limitMs: number;
	private readonly startedAt = Date.now();
	private reports = 0;
	/** The different settings of the questions, and a key for each. */
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

	/** Whether several messages may be one reply. */
	get groups(): boolean {
		return this.settings.some(({ groupMs }) => groupMs > 0);
	}

	/** The questions that were sent so far. */
	get questions(): Question[] {
		// The Frequency Cap leaves people out while the others are asked.
		const sent = this.asked.filter((item) => isDone(item) && isWanted(item));
		return sent.map(({ index, request, outcome }) => {
			const [record = {}] = outcome && !hasFailed(outcome) ? outcome.records : [];
			return {
				item: index,
				to: asText(request.body?.to),
				askedMessageId: (record.messageId ?? null) as string | null,
				askedTime: asMilliseconds(readTime(record)) || 0,
				expected: this.indexes.get(JSON.stringify(request.question)) ?? 0,
			};
		});
	}

	/** What a trigger must know: everybody who will be asked, who was asked so far, and who is being asked. */
	toQuestions(url: string): Questions {
		const sent = new Map(this.questions.map((one) => [one.item, one]));
		return {
			run: this.run,
			url,
			asked: this.startedAt,
			until: Date.now() + this.limitMs,
			expected: this.settings.map((one) => omit(one, 'limitMs', 'givesUnanswered')),
			people: this.asked.map(({ index, request }): Person => {
				const { askedTime = null, expected = 0 } = sent.get(index) ?? {};
				return [index, asText(request.body?.to), expected, askedTime, null];
			}),
			underWay: this.asked.filter(isUnderWay).map(({ index }) => index),
			report: ++this.reports,
			isWhole: false,
		};
	}

	/** Lets n8n wait until the questions are answered, or a little longer than the time limit. */
	async wait(until: number, registration?: Wait['registration']): Promise<true> {
		const { context, run, questions, settings } = this;
		const others = this.items.filter((item) => !isWanted(item));
		const shape = { isMessage: true, keepsInput: false };
		const notAsked = others.flatMap((item) => toOutput(context.getNode(), item, shape));
		const wait: Wait = { run, until, questions, settings, notAsked, registration };
		context.getContext('node')[waitKey] = wait;
		await context.putExecutionToWait(new Date(until + graceMs));
		return true;
	}
}

/** The wait of the execution to which a delivery came. n8n gives the node's context to expressions only. */
export function readWait(context: IWebhookFunctions): Wait | undefined {
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
	);
	const json = context.evaluateExpression(
		`{{ JSON.stringify($node[${name}].context["${waitKey}"] ?? null) }}`,
	);
	return typeof json === 'string' ? ((JSON.parse(json) as Wait | null) ?? undefined) : undefined;
}

/** Whether somebody may have got the question, but the service has not responded yet. */
function isUnderWay({ hasBegun, outcome }: Item): boolean {
	return hasBegun === true && outcome === undefined;
}
