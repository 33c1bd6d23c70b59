/** Finds the inbox before the first question is sent, and tells it who is asked. */
import { chunk, partition } from 'lodash';
import { type IExecuteFunctions, NodeOperationError } from 'n8n-workflow';

import { endpoints } from '../api/endpoints';
import { type Item, type ValidItem, inState } from '../execution/item';
import type { Listening } from '../execution/run';
import { writeLog } from '../log';
import { InputError, asFailure } from '../transport/errors';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { canonical } from '../webhooks/publicAddress';
import { Asker } from './asker';
import { callsOf } from './calls';
import type { Person } from './core';
import { checkN8n, findTriggers } from './findTriggers';
import { outputsWithoutReplies } from './output';
import { QuestionRun } from './questionRun';
import { keepForOutput } from './waitState';

const maxPeople = 10_000;
/** Before people are asked, the inbox is told about them in parts. Each part takes about this time to ask, ms. */
const partMs = 2_000;
const minPart = 20;
/** Clocks that differ by less count as equal, ms: HTTP shows whole seconds, and a response takes its time to arrive. */
const maxClockErrorMs = 2_000;

/**
 * Finds the inbox of this n8n, for the replies to all valid items.
 * @throws InputError if n8n is too old, there is not exactly one inbox, or too many people are asked; ServiceError
 */
export async function listenForReplies(
	context: IExecuteFunctions,
	items: Item[],
): Promise<Listening> {
	checkN8n(context);
	const client = await connect(context, { signal: context.getExecutionCancelSignal() });
	const run = new QuestionRun(context, client, items);
	const people = run.asked.length;
	if (people > maxPeople) {
		throw new InputError(
			`This run asks ${people} people; the maximum is ${maxPeople}`,
			`Put a Loop Over Items node before this node, with Batch Size ${maxPeople}.`,
		);
	}
	return await listen(run);
}

async function listen(run: QuestionRun): Promise<Listening> {
	const { context, client, id, workflow, questions, limitMs } = run;
	const url = canonical(context.getSignedResumeUrl({ wait: id }));
	const calls = callsOf(context.helpers, async () => client.config.keyId);
	const listTriggers = async () => await findTriggers(client, url);
	const skewMs = await readSkew(client);
	if (skewMs === null)
		writeLog(
			context,
			'The service does not send the time (header Date). So a message that somebody writes just before the question may count as the reply.',
			'info',
		);
	const asking = { id, url, workflow, questions, limitMs, skewMs };
	const asker = new Asker({ ...calls, listTriggers }, asking);
	await asker.open();
	const parts = new Parts(run, asker);
	return {
		tell: async (item) => await parts.tell(item),
		stop: async () => await asker.stop(),
		wait: async () => {
			const { people } = run;
			const until = await asker.close(people).catch(async (error: unknown) => {
				await asker.stop();
				const { message, description } = asFailure(error);
				throw new NodeOperationError(context.getNode(), message, { description });
			});
			if (people.length === 0) return false;
			keepOutputs(run, people);
			return await run.wait(until);
		},
	};
}

/**
 * Keeps with the execution what is output later. When n8n itself ends the wait, because the inbox could not, it passes
 * on what the node got. So the node gets what it outputs if nobody has replied.
 */
function keepOutputs(run: QuestionRun, people: Person[]): void {
	const { context, id, questions, notAsked } = run;
	keepForOutput(context, { run: id, notAsked });
	const byItem = new Map(people.map((person) => [person.item, person]));
	const outputs = outputsWithoutReplies(context.getNode(), { questions, people: byItem }, notAsked);
	context.getExecuteData().data = { main: [outputs] };
}

/** The service's clock minus that of this machine, ms; null if the service does not show it. */
async function readSkew(client: Client): Promise<number | null> {
	const response = await client.fetch(endpoints.listWebhooks).catch(() => undefined);
	const date = Date.parse(String(response?.headers.date));
	if (Number.isNaN(date)) return null;
	const difference = date - Date.now();
	return Math.abs(difference) < maxClockErrorMs ? 0 : difference;
}

/** The people of a run in parts. The inbox is told about each part once, before the first person in it is asked. */
class Parts {
	private readonly partOf = new Map<number, ValidItem[]>();
	private readonly told = new Map<ValidItem[], Promise<void>>();
	/** Items of earlier parts. Once asked, the inbox is told about them again, with the ID of the message that asks. */
	private earlier: ValidItem[];

	constructor(
		private readonly run: QuestionRun,
		private readonly asker: Asker,
	) {
		const { requests, windowMs } = run.client.config.rate;
		const size = Math.max(minPart, Math.ceil((requests * partMs) / windowMs));
		this.earlier = run.asked.filter(inState('done'));
		const pending = run.asked.filter(inState('pending'));
		for (const part of chunk(pending, size))
			for (const { index } of part) this.partOf.set(index, part);
	}

	async tell({ index }: Item): Promise<void> {
		const part = this.partOf.get(index) ?? [];
		const known = this.told.get(part);
		if (known) {
			await known;
			return this.asker.check();
		}
		const [asked, others] = partition(this.earlier, inState('done', 'leftOut'));
		this.earlier = [...others, ...part];
		const people = [...asked, ...part].map((item) => this.run.toPerson(item));
		const told = this.asker.tell(people);
		this.told.set(part, told);
		await told;
	}
}
