/** Faults in a random order from a seed: of the service, the network, n8n's processes, its database, its clock, and its user. */
import { setTimeout as delay } from 'node:timers/promises';
import sortBy from 'lodash/sortBy';
import { endpoints, type EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import type { FaultOrder } from '../../../sandbox/faults';
import { numbers } from '../../../sandbox/variants';
import { numbersOf } from '../../../harness/sandboxClient';
import { setClock } from './instruments';
import { ACTION, patiently, type Shop } from './shop';
import type { Truth } from './truth';

/** Seconds between two faults, on average. */
const EVERY = 22;
const REDELIVERED = 20;
/** How many people get no messages for how long, ms. */
const [UNREACHABLE, UNREACHABLE_MS] = [50, 10_000];

type Random = (below: number) => number;
type Fault = (shop: Shop, truth: Truth, random: Random) => Promise<unknown>;

const names = Object.keys(endpoints) as EndpointName[];

/** A fault in the service's responses to the next calls, of one endpoint or of any. */
function service(order: (random: Random) => FaultOrder): Fault {
	return async ({ sandbox }, _truth, random) => {
		const endpoint = random(2) === 0 ? names[random(names.length)] : undefined;
		const most = endpoint ? 3 : 15;
		sandbox.state.faults.add({ endpoint, count: 1 + random(most), ...order(random) });
	};
}

/** Ends a process and starts it again. On long days, restarts happen only in the first half, so that memory can be compared in the second half. */
function restart(end: 'stop' | 'kill'): Fault {
	return async ({ machine }, truth, random) => {
		const one = machine.processes[random(machine.processes.length)];
		const from = Date.now();
		await one[end]();
		if (machine.receivers.includes(one)) truth.ends.push({ from, to: Date.now() });
		await truth.log.countClaims();
		await delay(random(5_000));
		await one.start();
		truth.startedAt = Date.now();
	};
}

const faults: Record<string, Fault> = {
	late: service((random) => ({ delayMs: 500 + random(6_000) })),
	tooMany: service((random) => ({
		status: 429,
		headers: { 'retry-after': String(1 + random(2)) },
	})),
	serverError: service((random) => ({
		status: [500, 502, 503][random(3)],
		processed: random(2) === 0,
	})),
	reset: service((random) => ({ reset: random(2) === 0 ? 'beforeRead' : 'afterRead' })),
	brokenJson: service(() => ({ brokenJson: true })),
	duplicates: async ({ sandbox }, truth, random) => {
		const { webhooks, deliveries } = sandbox.state;
		const latest = truth.deliveries.slice(-REDELIVERED);
		for (const { webhookId, event, data } of sortBy([...latest, ...latest], () => random(1000))) {
			const webhook = webhooks.get(webhookId);
			if (webhook) deliveries.deliver(webhook, event, data);
		}
	},
	/** Messages to some people fail after the service has accepted them. */
	unreachable: async ({ sandbox }, _truth, random) => {
		const { settings } = sandbox.state;
		settings.failingNumbers = numbersOf({ from: random(200), count: UNREACHABLE });
		await delay(UNREACHABLE_MS);
		settings.failingNumbers = [];
	},
	terminate: restart('stop'),
	kill: restart('kill'),
	lockedDatabase: async ({ machine }, _truth, random) => await machine.database.lock(2 + random(5)),
	clock: async ({ machine }, _truth, random) => {
		const one = machine.processes[random(machine.processes.length)];
		setClock(one, random(2) === 0 ? 120 : -120);
		await delay(15_000);
		setClock(one, 0);
	},
	edit: async ({ machine, places }, _truth, random) => {
		const { client } = machine.main;
		const { id } = places.autoReply;
		await patiently(async () => {
			const text = `Thank you, we will answer within ${1 + random(9)} hours.`;
			await client.changeNode(id, ACTION, { text });
			await client.activate(id);
		});
	},
	offAndOn: async ({ machine, places }, _truth, random) => {
		const { client } = machine.main;
		const { id } = places[['autoReply', 'receipts', 'optOuts'][random(3)]];
		await patiently(async () => await client.deactivate(id));
		await delay(random(8_000));
		await patiently(async () => await client.activate(id));
	},
};

/** The names of the faults of a day, in their order: every round has each fault once. */
export function planFaults(seed: number, minutes: number): string[] {
	const random = numbers(seed);
	const count = Math.floor((minutes * 60) / EVERY);
	const plan: string[] = [];
	while (plan.length < count) {
		const round = Object.keys(faults);
		while (round.length > 0) plan.push(...round.splice(random(round.length), 1));
	}
	const isLate = (index: number) => minutes >= 30 && index > count / 2;
	return plan
		.slice(0, count)
		.map((name, index) => (isLate(index) && ['terminate', 'kill'].includes(name) ? 'late' : name));
}

/** Causes the faults one after the other, until the shop is closed. @param happens is called with the name of each fault */
export async function causeFaults(
	shop: Shop,
	truth: Truth,
	{ seed, plan, happens }: { seed: number; plan: string[]; happens: (name: string) => void },
): Promise<void> {
	const random = numbers(seed + 1);
	for (const name of plan) {
		await delay(random(2 * EVERY * 1000));
		if (shop.isOver) break;
		happens(name);
		await faults[name](shop, truth, random);
	}
	shop.sandbox.state.faults.remove();
}
