/** Triggers of one n8n in virtual time, as a run that asks sees them. */
import { type AskerPorts, type Asking, Asker } from '../../../nodes/BusinessMessaging/inbox/asker';
import type { Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import type { CallResult, TriggerRequest } from '../../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';

export const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(
	(n) => `https://n8n.test/webhook/${n}/webhook`,
);
/** When the asker begins, ms since 1970. */
export const begin = 1_900_000_000_000;
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
export class Triggers implements AskerPorts {
	readonly calls: Call[] = [];
	/** The URLs that the service lists. */
	registered: string[];
	/** How often the service was asked for them. */
	lists = 0;
	private readonly timers: Array<{ at: number; run: () => void }> = [];
	private time = begin;

	/** @param responses of the triggers that are registered from the beginning */
	constructor(readonly responses: Record<string, Respond>) {
		this.registered = Object.keys(responses);
	}

	now(): number {
		return this.time;
	}

	/** Seconds since the beginning. */
	get second(): number {
		return (this.time - begin) / 1_000;
	}

	async pause(ms: number): Promise<void> {
		await new Promise<void>((run) => this.timers.push({ at: this.time + ms, run }));
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

	/** Lets time pass until a promise is settled. */
	async until<T>(promise: Promise<T>): Promise<T> {
		let isSettled = false;
		const settle = () => (isSettled = true);
		promise.then(settle, settle);
		for (await idle(); !isSettled; await idle()) {
			const next = this.timers.sort((one, other) => one.at - other.at).shift();
			if (!next) throw new Error('Nothing will happen any more');
			this.time = next.at;
			next.run();
		}
		return await promise;
	}

	async pass(seconds: number): Promise<void> {
		await this.until(this.pause(seconds * 1_000));
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

const idle = async () => await new Promise<void>((resolve) => setImmediate(resolve));
