/** A service and the senders of one key, on a clock that only the simulation moves: no timers, no HTTP. */
import { Throttle } from '../../../nodes/BusinessMessaging/transport/throttle';

/** How the service behaves. Times in ms. */
export interface VirtualService {
	/** How many requests the service handles at the same time. */
	capacity: number;
	/** How many requests the service accepts in any window, including those of others. */
	perWindow: number;
	windowMs: number;
	/** How long the service handles a request, and the greatest random addition. */
	latencyMs: number;
	jitterMs: number;
	/** How long a request and a response take on the network, at random, so that they may overtake each other. */
	networkMs: number;
	/** Whether a refusal takes as long as a success. */
	refusesLate: boolean;
	/** Seconds of `Retry-After` when too many requests come at once. */
	retryAfter?: number;
	/** Whether the service says how long to wait for the rate; yes by default. */
	namesWait?: boolean;
	/** For how many people the service refuses everything and asks for a wait of an hour. */
	limitedPeople?: number;
}

/** Random numbers from 0 to 1; the same seed gives the same numbers. */
function randomOf(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** What a simulation has recorded. */
export interface Seen {
	accepted: number;
	refused: number;
	/** Messages that were given up. */
	blocked: number;
	endMs: number;
	/** The greatest number of requests under way in the second half. */
	mostLately: number;
	known?: number;
}

/** Sends one message to each of `messages` people. `senders` of the messages wait for their turn at the same time. */
export function simulate(
	service: VirtualService,
	{
		messages,
		senders,
		rate,
		seed,
	}: { messages: number; senders: number; rate: number; seed: number },
): Seen {
	const random = randomOf(seed);
	const throttle = new Throttle(service.windowMs, random);
	/** In their order; of two at the same time, the one that was added first. */
	const events: Array<{ at: number; run: () => void }> = [];
	let [now, working, underWay, done, next] = [0, 0, 0, 0, 0];
	const seen: Seen = { accepted: 0, refused: 0, blocked: 0, endMs: 0, mostLately: 0 };
	const taken: number[] = [];
	const queue: number[] = [];
	const at = (ms: number, run: () => void) => {
		const event = { at: now + ms, run };
		let place = events.length;
		while (place > 0 && events[place - 1].at > event.at) place--;
		events.splice(place, 0, event);
	};
	const refill = () => {
		while (queue.length + underWay < senders && next < messages) queue.push(next++);
	};
	let wakeAt = Infinity;
	const go = () => {
		for (refill(); queue.length > 0; refill()) {
			const person = queue[0];
			if (throttle.isBlocked(now, `person ${person}`)) {
				queue.shift();
				seen.blocked++;
				done++;
				continue;
			}
			const waitMs = throttle.waitMs(now, rate);
			if (waitMs > 0) {
				if (waitMs < Infinity && now + waitMs < wakeAt) {
					wakeAt = now + waitMs;
					at(waitMs, () => {
						wakeAt = Infinity;
					});
				}
				return;
			}
			queue.shift();
			send(person);
		}
	};
	const send = (person: number) => {
		const permit = throttle.take(`person ${person}`);
		underWay++;
		if (done > messages / 2) seen.mostLately = Math.max(seen.mostLately, underWay);
		const end = (outcome: 'accepted' | { waitMs?: number }) => {
			underWay--;
			throttle.end(now, permit, outcome);
			if (outcome === 'accepted') {
				seen.accepted++;
				done++;
				seen.endMs = now;
			} else {
				seen.refused++;
				queue.push(person);
			}
		};
		const way = () => random() * service.networkMs;
		const work = service.latencyMs + random() * service.jitterMs;
		at(way(), () => {
			while (taken[0] + service.windowMs <= now) taken.shift();
			const refuse = (waitMs?: number) =>
				at((service.refusesLate ? work : 0) + way(), () => end({ waitMs }));
			if (person < (service.limitedPeople ?? 0)) return refuse(3_600_000);
			if (taken.length >= service.perWindow)
				return refuse(service.namesWait === false ? undefined : taken[0] + service.windowMs - now);
			if (working >= service.capacity)
				return refuse(service.retryAfter && service.retryAfter * 1_000);
			taken.push(now);
			working++;
			at(work, () => {
				working--;
				at(way(), () => end('accepted'));
			});
		});
	};
	for (go(); done < messages; go()) {
		const event = events.shift();
		if (!event) throw new Error(`Nothing happens any more after ${done} of ${messages}`);
		now = event.at;
		event.run();
	}
	return { ...seen, known: throttle.knownConcurrency };
}
