/**
 * Events that were delivered before. A service delivers again what it believes not to have arrived.
 *
 * What came is remembered in this process, for copies that come at the same moment, and in n8n's static data, for later
 * ones and over restarts. n8n writes that after the execution has been stored and before it answers, so that after a
 * crash an event may come twice but is never lost: a delivery writes down itself and what was answered before it, but
 * none that is still under way beside it. Several processes share it only as far as they read what another has written.
 */
import { type IWebhookFunctions, sleep } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { keyLength } from './deduplicationKey';
import { nodeKey, readState, writeState } from './nodeState';

/** How many events are remembered over restarts, and in the process. */
const maxStored = 500;
const maxInProcess = 5_000;
/** For how long: services deliver again for up to a day or two. */
const maxAgeMinutes = 48 * 60;
const minuteMs = 60_000;

/** A copy waits at most this long for the one before it, ms; services give up after ten seconds or more. */
const maxWaitMs = 8_000;

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** `taken` if the event has started an execution, `underWay` if that is not known yet. */
type Fate = 'taken' | 'underWay' | 'failed';

/** A delivery that n8n had not answered yet. */
interface UnderWay {
	response: Response;
	keys: string[];
	/** When it came, in minutes since 1970. */
	minute: number;
}

/** n8n has stored the execution by the time it answers, and not otherwise. */
function fateOf({ writableEnded, statusCode }: Response): Fate {
	if (!writableEnded) return 'underWay';
	return statusCode < 300 ? 'taken' : 'failed';
}

/** Waits until n8n has answered, the service has hung up, or that takes too long. */
async function untilAnswered(response: Response, meanwhile = () => {}): Promise<void> {
	const end = Date.now() + maxWaitMs;
	while (!response.writableEnded && !response.destroyed && Date.now() < end) {
		meanwhile();
		await sleep(1);
	}
}

/** The events of one node, by their deduplication keys. */
class NodeEvents {
	/** Those that have started an execution, with the minute in which they came. */
	private readonly taken = new BoundedMap<string, number>({ maxSize: maxInProcess });
	/** The newest of them, as they are stored; another array after every change. */
	private newest: string[] = [];
	private readonly underWay = new BoundedMap<string, UnderWay>({ maxSize: maxInProcess });

	/** Adds what another process or an earlier one has stored. */
	load(recentEvents: unknown): void {
		const stored = typeof recentEvents === 'string' ? recentEvents.split(' ') : [];
		const entries = stored.map((entry): [string, number] => [
			entry.slice(0, keyLength),
			parseInt(entry.slice(keyLength), 36),
		]);
		const isKnown = (key: string) => isRecent(this.taken.get(key)) || this.underWay.has(key);
		this.take(entries.filter(([key, minute]) => isRecent(minute) && !isKnown(key)));
	}

	/** See {@link recognize}. Nothing is awaited between the last look and the note that the event is under way. */
	async recognize(
		key: string,
		response: Response,
		write: (text?: string) => void,
	): Promise<'new' | 'taken' | 'underWay'> {
		this.settle();
		for (let earlier = this.underWay.get(key); earlier; earlier = this.underWay.get(key)) {
			await untilAnswered(earlier.response);
			this.settle();
			if (fateOf(earlier.response) === 'underWay') return 'underWay';
		}
		if (isRecent(this.taken.get(key))) return 'taken';
		const others = this.underWay.all().map(([, delivery]) => delivery);
		const known = others.find((delivery) => delivery.response === response);
		const delivery = known ?? { response, keys: [], minute: minuteNow() };
		delivery.keys.push(key);
		this.underWay.set(key, delivery);
		if (!known) void this.store(delivery, write);
		return 'new';
	}

	/** Moves the events of answered deliveries to those taken, or forgets them if n8n has failed. */
	private settle(): void {
		const settled = this.underWay.all().filter(([, { response }]) => response.writableEnded);
		for (const [key] of settled) this.underWay.delete(key);
		const taken = settled.filter(([, { response }]) => fateOf(response) === 'taken');
		this.take(taken.map(([key, { minute }]) => [key, minute]));
	}

	private take(entries: Array<[key: string, minute: number]>): void {
		if (entries.length === 0) return;
		for (const [key, minute] of entries) this.taken.set(key, minute);
		this.newest = this.taken
			.all()
			.slice(-maxStored)
			.map(([key, minute]) => toEntry(key, minute));
	}

	/**
	 * Changes the static data until n8n answers, which is when it is stored. Once would not do: n8n 2.41 forgets that it was
	 * changed when it begins to store the execution, somewhere between the end of this node and the answer.
	 */
	private async store({ response, keys, minute }: UnderWay, write: (text?: string) => void) {
		let written: { newest?: string[]; own?: number; text?: string } = {};
		await untilAnswered(response, () => {
			this.settle();
			if (written.newest !== this.newest || written.own !== keys.length) {
				const own = keys.map((key) => toEntry(key, minute));
				const text = [...this.newest, ...own].slice(-maxStored).join(' ');
				written = { newest: this.newest, own: keys.length, text };
			}
			write(written.text);
		});
	}
}

function minuteNow(): number {
	return Math.floor(Date.now() / minuteMs);
}

function isRecent(minute: number | undefined): boolean {
	return minute !== undefined && minuteNow() - minute < maxAgeMinutes;
}

function toEntry(key: string, minute: number): string {
	return `${key}${minute.toString(36)}`;
}

const nodes = new BoundedMap<string, NodeEvents>({
	maxSize: 1_000,
	maxAgeMs: maxAgeMinutes * minuteMs,
});

/**
 * Remembers an event, unless n8n then fails to start the execution: the service delivers it again, and it is new again.
 * A copy of one that is under way must not be answered before that is safe.
 *
 * @param key of the event, see deduplicationKeyOf
 * @returns `new` if the event is to start an execution, `taken` if it did before; `underWay` if that takes too long to
 *   tell, and the service should ask again
 */
export async function recognize(
	context: IWebhookFunctions,
	key: string,
): Promise<'new' | 'taken' | 'underWay'> {
	const events = nodes.getOrSet(nodeKey(context), () => new NodeEvents());
	events.load(readState(context, 'recentEvents'));
	return await events.recognize(key, context.getResponseObject(), (text) =>
		writeState(context, 'recentEvents', text),
	);
}
