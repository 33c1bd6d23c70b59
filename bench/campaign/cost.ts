/** The second part: what a message costs where nothing limits the rate and the service answers at once. */
import type { N8nServer } from '../../tools/n8n/server';
import { measure, type Measurement } from './measure';
import type { Sender } from './senders';
import type { Environment } from '../../tools/environment';
import { SandboxProcess } from '../../tools/sandboxProcess';
import { noLimit, type SandboxClient } from '../../tools/sandboxClient';
import type { Settings } from './settings';

/** What a sender used for so many messages; medians over all rounds. */
export interface Cost {
	sender: Sender;
	messages: number;
	/** By the time of the sending node. */
	perSecond: number;
	/** Of n8n's process, from the click until the execution is stored. */
	cpuSeconds: number;
	/** Greatest resident set of n8n's process in the same time. */
	peakMb: number;
}

const SENDERS: Sender[] = ['business-messaging', 'http-request'];
const WARM_UP = 100;
/**
 * Node.js lets garbage pile up while the machine has memory to spare, and the peak would tell nothing of what is needed.
 * So n8n gets the heap that Node.js would give it on a machine with 1.5 GB.
 */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=768' };

/**
 * Measures ours and the HTTP Request node in turn. Every single measurement has an n8n of its own, which has sent a
 * few messages before: a heap that has grown once stays so, and would count for the next one.
 */
export async function measureCost(
	environment: Environment,
	{ costMessages, costRounds }: Settings,
): Promise<Cost[]> {
	const service = await SandboxProcess.start();
	try {
		const found = new Map<string, Measurement[]>();
		for (let round = 1; round <= costRounds; round++) {
			for (const messages of costMessages) {
				for (const sender of SENDERS) {
					const measured = await measureOnce(environment, service, sender, messages);
					const key = `${sender} ${messages}`;
					found.set(key, [...(found.get(key) ?? []), measured]);
				}
			}
		}
		return SENDERS.flatMap((sender) =>
			costMessages.map((messages) =>
				costOf(sender, messages, found.get(`${sender} ${messages}`) ?? []),
			),
		);
	} finally {
		await service.stop();
	}
}

async function measureOnce(
	environment: Environment,
	service: SandboxClient,
	sender: Sender,
	messages: number,
): Promise<Measurement> {
	const work = async (n8ns: N8nServer[]) => {
		await measure(n8ns, service, { sender, messages: WARM_UP, rate: noLimit });
		return await measure(n8ns, service, { sender, messages, rate: noLimit });
	};
	return await environment.withN8ns(1, work, SMALL_HEAP);
}

function costOf(sender: Sender, messages: number, measured: Measurement[]): Cost {
	return {
		sender,
		messages,
		perSecond: messages / median(measured.map(({ seconds }) => seconds)),
		cpuSeconds: median(measured.map((one) => one.cpuSeconds)),
		peakMb: median(measured.map((one) => one.peakMb)),
	};
}

function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = (sorted.length - 1) / 2;
	return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}
