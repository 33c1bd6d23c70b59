/**
 * Events that were delivered before. A service delivers again what it believes not to have arrived.
 *
 * What came is remembered in this process, for copies that come at the same moment, and in n8n's static data, for later
 * ones and over restarts. n8n writes that after the execution has been stored and before it answers, so that after a
 * crash an event may come twice but is never lost: a delivery writes down itself and what was answered before it, but
 * none that is still under way beside it. Several processes that take deliveries share it only as far as they read
 * what another one has written.
 */
import { type IDataObject, type IWebhookFunctions, sleep } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { pause } from '../transport/deadline';
import { nodeKey } from './memory';

/** How many events are remembered over restarts, and in the process. */
const maxStored = 500;
const maxInProcess = 5_000;

/** A copy waits at most this long for the one before it, ms; services give up after ten seconds or more. */
const longestWaitMs = 8_000;

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** A delivery that n8n has not answered yet. */
interface UnderWay {
	response: Response;
	identities: string[];
	/** When it is answered, or the service has hung up. */
	settled: Promise<void>;
}

/** What became of an event that was delivered before. */
type Fate = 'taken' | 'underWay' | 'failed';

/** n8n has stored the execution by the time it answers, and not otherwise. */
function fateNow({ response }: UnderWay): Fate {
	if (!response.writableEnded) return 'underWay';
	return response.statusCode < 300 ? 'taken' : 'failed';
}

/** The events of one node, by their identity. */
class NodeEvents {
	/** Those that have started an execution, oldest first. */
	private readonly taken = new BoundedMap<string, true>({ maxSize: maxInProcess });
	/** The newest of them, as they are stored; another array after every change. */
	private newest: string[] = [];
	private readonly underWay = new BoundedMap<string, UnderWay>({ maxSize: maxInProcess });

	/** Adds what an earlier process has stored. */
	load(recentEvents: unknown): void {
		const stored = typeof recentEvents === 'string' ? recentEvents.split(' ') : [];
		this.take(
			stored.filter((identity) => !this.taken.has(identity) && !this.underWay.has(identity)),
		);
	}

	/** See {@link recognize}. Nothing is awaited between the last look and the note that the event is under way. */
	async recognize(
		identity: string,
		response: Response,
		staticData: IDataObject,
	): Promise<'new' | 'taken' | 'underWay'> {
		for (
			let earlier = this.underWay.get(identity);
			earlier;
			earlier = this.underWay.get(identity)
		) {
			if (fateNow(earlier) === 'underWay')
				await Promise.race([earlier.settled, pause(longestWaitMs)]);
			const fate = fateNow(earlier);
			this.settle(earlier);
			if (fate !== 'failed') return fate;
		}
		if (this.taken.has(identity)) return 'taken';
		this.begin(identity, response, staticData);
		return 'new';
	}

	/** Remembers a new event of a delivery, and stores it until n8n has answered. */
	private begin(identity: string, response: Response, staticData: IDataObject): void {
		const known = this.underWay.values().find((other) => other.response === response);
		const delivery = known ?? watch(response, (ended) => this.settle(ended));
		delivery.identities.push(identity);
		this.underWay.set(identity, delivery);
		if (!known) void this.store(delivery, staticData);
	}

	/** Moves the events of a delivery that has been answered to those taken, or forgets them if n8n has failed. */
	private settle(delivery: UnderWay): void {
		const fate = fateNow(delivery);
		if (fate === 'underWay') return;
		const own = delivery.identities.filter((identity) => this.underWay.get(identity) === delivery);
		for (const identity of own) this.underWay.delete(identity);
		if (fate === 'taken') this.take(own);
	}

	private take(identities: string[]): void {
		if (identities.length === 0) return;
		for (const identity of identities) this.taken.set(identity, true);
		this.newest = this.taken.keys().slice(-maxStored);
	}

	/**
	 * Changes the static data until n8n answers, which is when it is stored. Once would not do: n8n 2.41 forgets that it was
	 * changed when it begins to store the execution, somewhere between the end of this node and the answer. Every
	 * millisecond costs next to nothing, as the text is made anew only after a change.
	 */
	private async store({ response, identities }: UnderWay, staticData: IDataObject): Promise<void> {
		const end = Date.now() + longestWaitMs;
		let written: { newest?: string[]; own?: number; text?: string } = {};
		do {
			if (written.newest !== this.newest || written.own !== identities.length) {
				const text = [...this.newest, ...identities].slice(-maxStored).join(' ');
				written = { newest: this.newest, own: identities.length, text };
			}
			staticData.recentEvents = written.text;
			await sleep(1);
		} while (!response.writableEnded && !response.destroyed && Date.now() < end);
	}
}

const known = new Map<string, NodeEvents>();

/**
 * Remembers an event, unless n8n then fails to start the execution: the service delivers it again, and it is new again.
 * A copy of one that is under way must not be answered before that is safe.
 *
 * @returns `new` if the event shall start an execution, `taken` if it did before; `underWay` if that takes too long to
 *   tell, and the service should ask again
 */
export async function recognize(
	context: IWebhookFunctions,
	identity: string,
): Promise<'new' | 'taken' | 'underWay'> {
	const staticData = context.getWorkflowStaticData('node');
	const events = known.get(nodeKey(context)) ?? new NodeEvents();
	known.set(nodeKey(context), events);
	events.load(staticData.recentEvents);
	return await events.recognize(identity, context.getResponseObject(), staticData);
}

function watch(response: Response, onEnd: (delivery: UnderWay) => void): UnderWay {
	const settled = new Promise<void>((resolve) => {
		const end = () => {
			onEnd(delivery);
			resolve();
		};
		response.once('finish', end).once('close', end);
	});
	const delivery: UnderWay = { response, identities: [], settled };
	return delivery;
}
