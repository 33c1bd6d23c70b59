/** Send and Wait for Reply: the worker that asked is gone when the answers come. */
import { numbersOf } from '../../tools/numbers';
import { step } from '../../tools/progress';
import { SandboxProcess } from '../../tools/sandboxProcess';
import { outputOf } from '../../tools/n8n/client';
import { waitFor } from '../../tools/waitFor';
import type { Webhook } from '../../sandbox/state/webhooks';
import { type Cluster, credentialFor } from './cluster';
import { partsOf, type Settings } from './settings';
import { Production, tested } from './workflows';

const CLEAN_UP_LIMIT = 2 * 60_000;
const question = {
	resource: 'message',
	operation: 'sendAndWait',
	message: 'Would Tuesday suit you?',
	timeLimit: 60,
	timeUnit: 'minutes',
};

/** What became of the questions. */
export interface ReplyFigures {
	asked: number;
	/** Executions that went on with the answer of their person. */
	answered: number;
	/** Those that went on at another worker than the one that asked. */
	elsewhere: number;
	/** People who got the question more than once. */
	doubled: number;
	/** Registrations of ours at the service, once all had answered. */
	webhooksLeft: number;
}

/** Asks, stops the worker that asked first, answers, and starts that worker again. */
export async function measureReplies(cluster: Cluster, settings: Settings): Promise<ReplyFigures> {
	const asked = settings.questions;
	const service = await SandboxProcess.start({ latencyMs: settings.latencyMs });
	try {
		return await step(
			`Send and Wait: ${asked} questions, answered after a worker that asked was stopped`,
			async () => {
				const workflow = await Production.campaign(
					cluster,
					await credentialFor(cluster, service),
					question,
				);
				await workflow.start(partsOf(asked, asked));
				const ids = await workflow.until(['waiting'], asked);
				const askers = ids.map((id) => cluster.workersOf(id)[0]);
				const stopped = cluster.workers[askers[0] - 1];
				await stopped.stop();
				for (const number of numbersOf({ from: 0, count: asked }))
					await service.receive(number, `Yes, says ${number}`);
				await workflow.ended();
				const executions = await Promise.all(
					ids.map(async (id) => await cluster.main.client.getExecution(id)),
				);
				const answers = executions.flatMap((execution) =>
					outputOf(execution, tested).map(({ json }) => json),
				);
				const { doubled } = await service.traffic(numbersOf({ from: 0, count: asked }));
				const webhooksLeft = await untilRemoved(service);
				await workflow.switchOff();
				await stopped.start();
				return {
					asked,
					answered: answers.filter(({ from, text }) => text === `Yes, says ${String(from)}`).length,
					elsewhere: ids.filter((id, index) =>
						cluster.workersOf(id).some((worker) => worker !== askers[index]),
					).length,
					doubled,
					webhooksLeft,
				};
			},
		);
	} finally {
		await service.stop();
	}
}

/** They are removed after n8n has gone on. */
async function untilRemoved(service: SandboxProcess): Promise<number> {
	const count = async () => (await service.look<Webhook>('/webhooks')).length;
	const none = async () => (await count()) === 0;
	await waitFor(none, { what: 'all webhooks to be removed', limit: CLEAN_UP_LIMIT }).catch(
		() => undefined,
	);
	return await count();
}
