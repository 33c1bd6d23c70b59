/** A campaign shared by one, two and three workers that use the same key. */
import { numbersOf } from '../../tools/numbers';
import { step } from '../../tools/progress';
import type { Rate } from '../../tools/sandboxClient';
import { SandboxProcess } from '../../tools/sandboxProcess';
import { type Cluster, credentialFor, WORKERS } from './cluster';
import { partsOf, type Settings } from './settings';
import { Production, secondsOf } from './workflows';

const sendText = {
	resource: 'message',
	operation: 'sendText',
	text: 'Our summer sale starts today.',
};
/** n8n's queue gives an execution to whichever worker asks first; parts that met at one worker are sent anew. */
const TRIES = 6;

/** What a campaign took. */
export interface CampaignRow {
	workers: number;
	messages: number;
	/** From the start of the first sending node to the end of the last one. */
	seconds: number;
	lost: number;
	doubled: number;
	tooManyRequests: number;
	ratioToBest: number;
}

/** The campaigns, and how fast the workers are where nothing limits them. */
export interface CampaignFigures {
	best: number;
	rows: CampaignRow[];
	/** Messages per second without a limit, by the number of workers. */
	fullSpeed: Array<{ workers: number; perSecond: number }>;
}

/** Sends the same campaign with each number of workers. Each has a service of its own, so that no limiter remembers the one before. */
export async function measureCampaigns(
	cluster: Cluster,
	settings: Settings,
): Promise<CampaignFigures> {
	const { messages, allowance, windowMs } = settings;
	const rest = messages - (Math.ceil(messages / allowance) - 1) * allowance;
	const fullSpeed: Array<{ workers: number; perSecond: number }> = [];
	await send(cluster, settings, WORKERS, messages); // warms all workers up
	let last = Infinity;
	for (let workers = 1; workers <= WORKERS; workers++) {
		const { seconds } = await send(
			cluster,
			settings,
			workers,
			Math.floor(rest / workers) * workers,
		);
		fullSpeed.push({ workers, perSecond: rest / seconds });
		last = Math.min(last, seconds);
	}
	const best = ((messages - rest) / allowance) * (windowMs / 1000) + last;
	const rows: CampaignRow[] = [];
	for (let workers = 1; workers <= WORKERS; workers++) {
		const row = await send(cluster, settings, workers, messages, { requests: allowance, windowMs });
		rows.push({ ...row, ratioToBest: row.seconds / best });
	}
	return { best, rows, fullSpeed };
}

async function send(
	cluster: Cluster,
	settings: Settings,
	workers: number,
	messages: number,
	rate?: Rate,
): Promise<Omit<CampaignRow, 'ratioToBest'>> {
	const title = `${messages} messages by ${workers} of ${WORKERS} workers, ${rate ? 'at the limit' : 'without a limit'}`;
	return await step(title, async () => {
		for (let tries = 1; ; tries++) {
			const service = await SandboxProcess.start({ rate, latencyMs: settings.latencyMs });
			try {
				const credential = await credentialFor(cluster, service, rate);
				const campaign = await Production.campaign(cluster, credential, sendText);
				const executions = await campaign.run(partsOf(messages, workers));
				await campaign.switchOff();
				const taken = new Set(executions.flatMap(({ id }) => cluster.workersOf(id)));
				if (taken.size < workers && tries < TRIES) continue;
				const { lost, doubled, tooManyRequests } = await service.traffic(
					numbersOf({ from: 0, count: messages }),
				);
				return {
					workers: taken.size,
					messages,
					seconds: secondsOf(executions),
					lost,
					doubled,
					tooManyRequests,
				};
			} finally {
				await service.stop();
			}
		}
	});
}
