/** The items of a run that asks, as the protocol needs them. */
import { randomBytes } from 'crypto';
import { omit, sumBy } from 'lodash';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import { asMilliseconds } from '../reading/readResponse';
import { type Item, type ValidItem, hasFailed, inState, isWanted } from '../execution/item';
import { toOutput } from '../execution/itemOutput';
import type { OperationRequest } from '../operations/operation';
import type { Client } from '../transport/client';
import { readTime } from '../webhooks/simpleEvent';
import { type Person, type Question, graceMs } from './core';

/** How many characters of a question a late reply shows, and how many different questions a run keeps at most. */
const maxAsked = 40;
const maxDifferentAsked = 50;
/** The inbox keeps the texts of all questions of a run, to repeat them, if they are no longer than this, characters. */
const maxTexts = 100_000;
const idBytes = 8;
/** How many characters of the workflow's name the inbox keeps. */
const maxWorkflow = 40;

/** A run of the node that asks. */
export class QuestionRun {
	/** Distinguishes the rounds of a loop. */
	readonly id = randomBytes(idBytes).toString('base64url');
	readonly asked: ValidItem[];
	/** The name of the workflow, as far as the inbox keeps it. */
	readonly workflow: string;
	/** How long replies count, ms. */
	readonly limitMs: number;
	/** The different questions. */
	readonly questions: Question[];
	private readonly indexes: Map<string, number>;
	private readonly showsAsked: boolean;
	private readonly keepsTexts: boolean;

	constructor(
		readonly context: IExecuteFunctions,
		readonly client: Client,
		private readonly items: Item[],
	) {
		this.workflow = (context.getWorkflow().name ?? '').slice(0, maxWorkflow);
		this.asked = items.filter(isWanted);
		const texts = new Set(this.asked.map(({ request }) => askedIn(request)));
		this.showsAsked = texts.size <= maxDifferentAsked;
		const repeated = this.asked.map(({ request }) => request.rules?.question?.questionText ?? '');
		this.keepsTexts = sumBy([...new Set(repeated)], 'length') <= maxTexts;
		const keys = new Set(this.asked.map(({ request }) => this.keyOf(request)));
		this.indexes = new Map([...keys].map((key, index) => [key, index]));
		this.questions = [...keys].map((key) => JSON.parse(key) as Question);
		const limits = this.asked.map(({ request }) => request.rules?.question?.limitMs ?? 0);
		this.limitMs = limits.reduce((most, limit) => Math.max(most, limit), 0);
	}

	private keyOf(request: OperationRequest): string {
		const asked = this.showsAsked ? askedIn(request) : '';
		const { questionText = '' } = request.rules?.question ?? {};
		return JSON.stringify({
			...omit(request.rules?.question, 'limitMs'),
			questionText: this.keepsTexts ? questionText : '',
			asked,
		});
	}

	/** The people who were asked so far. The other items may still be left out by a rule, or fail. */
	get people(): Person[] {
		const sent = this.asked.filter(inState('done'));
		return sent.map((item) => this.toPerson(item));
	}

	toPerson({ index, request, outcome }: ValidItem): Person {
		const [record = {}] = outcome && !hasFailed(outcome) ? outcome.records : [];
		const since = asMilliseconds(readTime(record)) || 0;
		return {
			item: index,
			to: textOrJson(request.body?.to),
			question: this.indexes.get(this.keyOf(request)) ?? 0,
			since,
			toldAt: Date.now(),
			askedMessageId: (record.messageId ?? null) as string | null,
			messages: [],
			misfits: [],
		};
	}

	/** The output of the items that asked nobody. */
	get notAsked(): INodeExecutionData[] {
		const others = this.items.filter((item) => !isWanted(item));
		const shape = { isMessage: true, keepsInput: false };
		return others.flatMap((item) => toOutput(this.context.getNode(), item, shape));
	}

	/** Lets n8n wait until the questions are answered, or a little longer than the time limit. */
	async wait(until: number): Promise<true> {
		await this.context.putExecutionToWait(new Date(until + graceMs));
		return true;
	}
}

function askedIn({ body, rules }: OperationRequest): string {
	const text = textOrJson(body?.text ?? rules?.template?.name);
	return text.length > maxAsked ? `${text.slice(0, maxAsked - 1)}…` : text;
}
