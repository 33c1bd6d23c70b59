/** A worker is killed with SIGKILL in the middle of a campaign. */
import { numbersOf } from '../../tools/numbers';
import { step } from '../../tools/progress';
import { SandboxProcess } from '../../tools/sandboxProcess';
import { type Cluster, credentialFor, WORKERS } from './cluster';
import { onceEach } from './sendOnce';
import { waitFor } from '../../tools/waitFor';
import { partsOf, type Settings } from './settings';
import { Production, statusesOf } from './workflows';
import type { Message } from '../../sandbox/state/messages';

const RUN_LIMIT = 5 * 60_000;

/** What became of the campaign. */
export interface CrashFigures {
	messages: number;
	/** After the crash, when the other workers were done. */
	afterCrash: { missing: number; doubled: number };
	/** How n8n lists the killed execution when the others are done, and at the end. */
	status: [string, string];
	/** After the whole campaign was run again. */
	afterSecondRun: {
		doubled: number;
		/** Still without a message. */
		missing: string[];
		/** Those that the second run names as `mayHaveBeenSent`. */
		named: string[];
	};
}

/** Kills a worker when a third of the campaign is out, lets the others end, and runs the whole campaign again with Send Once. */
export async function measureCrash(cluster: Cluster, settings: Settings): Promise<CrashFigures> {
	const { messages, allowance, windowMs, latencyMs } = settings;
	const rate = { requests: allowance, windowMs };
	const numbers = numbersOf({ from: 0, count: messages });
	const service = await SandboxProcess.start({ rate, latencyMs });
	try {
		const campaign = await Production.campaign(
			cluster,
			await credentialFor(cluster, service, rate),
			onceEach,
		);
		const parts = partsOf(messages, WORKERS);
		const killed = await step(
			'Crash: a worker is killed in mid-campaign, the others go on',
			async () => {
				await campaign.start(parts);
				await waitFor(async () => (await service.sentCount()) > messages / 3, {
					what: 'a third of the campaign to be sent',
					limit: RUN_LIMIT,
					interval: 20,
				});
				const ids = await campaign.until(['running'], WORKERS);
				const victim = ids[0];
				const worker = cluster.workers[cluster.workersOf(victim)[0] - 1];
				await worker.kill();
				const isDone = async () =>
					(await campaign.executions(['success', 'error'])).length +
						onTheSame(cluster, ids, victim) >=
					WORKERS;
				await waitFor(isDone, { what: 'the other workers to end', limit: RUN_LIMIT });
				return { victim, worker };
			},
		);
		const { lost: missing, doubled } = await service.traffic(numbers);
		const status = async () => (await cluster.main.client.getExecution(killed.victim)).status;
		const statusAtOnce = await status();
		const again = await step('Crash: the worker is started, the campaign run again', async () => {
			await killed.worker.start();
			return await campaign.run(parts);
		});
		await campaign.switchOff();
		const sent = new Set(
			(await service.look<Message>('/messages?direction=outbound')).map(({ phone }) => phone),
		);
		return {
			messages,
			afterCrash: { missing, doubled },
			status: [statusAtOnce, await status()],
			afterSecondRun: {
				doubled: (await service.traffic(numbers)).doubled,
				missing: numbers.filter((number) => !sent.has(number)),
				named: statusesOf(again).flatMap(({ to, sendStatus }) =>
					sendStatus === 'mayHaveBeenSent' ? to : [],
				),
			},
		};
	} finally {
		await service.stop();
	}
}

/** How many executions died with the worker of one of them. */
function onTheSame(cluster: Cluster, ids: string[], victim: string): number {
	const [worker] = cluster.workersOf(victim);
	return ids.filter((id) => cluster.workersOf(id)[0] === worker).length;
}
