/** Triggers of one n8n in virtual time, as a run that asks sees them. */
import { type AskerPorts, type Asking, Asker } from '../../../nodes/BusinessMessaging/inbox/asker';
import type { Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import type { CallResult, TriggerRequest } from '../../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { Clock } from './clock';

export const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(
	(n) => `https://n8n.test/webhook/${n}/webhook`,
);
export const limitMs = 600_000;
const id = 'AAAAAAAAAAA';

type Tell = Extract<TriggerRequest, { is: 'tell' }>;
/**
 * What a trigger responds.
 *
 * @param second after the beginning
 * @param run in the request, as the trigger reads it
 */
export type Respond = (
	request: TriggerRequest,
	second: number,
	run?: Run,
) => CallResult | Promise<CallResult>;

/** More calls than any test needs. */
const maxCalls = 1_000;

/** A call to a trigger. */
interface Call {
	url: string;
	second: number;
	request: TriggerRequest;
	run?: Run;
}

export const asking: Asking = {
	id,
	url: `https://n8n.test/webhook-waiting/1/node?wait=${id}&signature=${'a'.repeat(64)}`,
	questions: [{ ...defaultAnswer(), asked: '' }],
	...{ limitMs, skewMs: 7 },
};

const person = (item: number): Person => ({
	...{ item, to: `+1555000100${item}`, question: 0, since: 0, askedMessageId: null },
	...{ messages: [], repeatedAfter: [] },
});
export const people = (...items: number[]) => items.map(person);

/** A trigger that accepts everything. */
export const accepts: Respond = () => ({ inbox: 'yes' });

/** The triggers of an n8n, and the clock. */
export class Triggers extends Clock implements AskerPorts {
	readonly calls: Call[] = [];
	/** The URLs that the service lists. */
	registered: string[];
	/** How often the service was asked for them. */
	lists = 0;

	/** @param responses of the triggers that are registered from the beginning */
	constructor(readonly responses: Record<string, Respond>) {
		super();
		this.registered = Object.keys(responses);
	}

	/** Seconds since the beginning. */
	get second(): number {
		return this.time / 1_000;
	}

	async listTriggers(): Promise<string[]> {
		this.lists++;
		return this.registered;
	}

	async callTrigger(url: string, request: TriggerRequest): Promise<CallResult> {
		const run = request.is === 'tell' ? fromRecord(request.id, request.run, url) : undefined;
		this.calls.push({ url, second: this.second, request, run });
		if (this.calls.length > maxCalls) throw new Error('The calls do not end');
		return await (this.responses[url] ?? (() => 'gone'))(request, this.second, run);
	}

	/** An asker that has found its owner. */
	async asker(): Promise<Asker> {
		const asker = new Asker(this, asking);
		expect(await this.until(asker.open())).toBe(true);
		return asker;
	}

	/** Forgets the calls so far. */
	clear(): void {
		this.calls.length = 0;
	}

	/** Who was told about which people, in order, e.g. `a: 0,1`. */
	get told(): string[] {
		const tells = this.calls.filter(({ run }) => run !== undefined);
		return tells.map(({ url, run }) => `${nameOf(url)}: ${[...(run?.people.keys() ?? [])].join()}`);
	}

	/** The triggers that were called, in order. */
	get called(): string {
		return this.calls.map(({ url }) => nameOf(url)).join('');
	}

	/** The latest request with which a trigger was told something. */
	latest(url: string): { request: Tell; run: Run } {
		const call = this.calls.filter((one) => one.url === url && one.run).at(-1);
		if (!call?.run) throw new Error(`${url} was not told anything`);
		return { request: call.request as Tell, run: call.run };
	}
}

function nameOf(url: string): string {
	return url.split('/').at(-2) ?? '';
}
