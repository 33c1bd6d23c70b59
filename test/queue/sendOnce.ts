/** Send Once from all workers at once: the same keys, and different ones, and both once more. */
import { numbersOf } from '../../tools/numbers';
import { step } from '../../tools/progress';
import { SandboxProcess } from '../../tools/sandboxProcess';
import { type Cluster, credentialFor, WORKERS } from './cluster';
import { partsOf, type Settings } from './settings';
import { type Part, Production } from './workflows';

/** A message that each number gets once. */
export const onceEach = {
	resource: 'message',
	operation: 'sendText',
	text: 'Our summer sale starts today.',
	sendOnce: true,
	campaign: 'sale',
};

/** What became of the keys. */
export interface SendOnceRow {
	what: string;
	keys: number;
	/** Keys whose message did not arrive, or arrived more than once so far. */
	lost: number;
	doubled: number;
	seconds: number;
}

/** Has all workers send at the same moment. */
export async function measureSendOnce(
	cluster: Cluster,
	settings: Settings,
): Promise<SendOnceRow[]> {
	const { keys } = settings;
	const everything = { from: 0, count: keys };
	const same: Part[] = Array.from({ length: WORKERS }, () => everything);
	return [
		...(await measure(cluster, settings, 'the same keys', same, everything)),
		...(await measure(cluster, settings, 'different keys', partsOf(keys, WORKERS), everything)),
	];
}

async function measure(
	cluster: Cluster,
	settings: Settings,
	what: string,
	parts: Part[],
	everything: Part,
): Promise<SendOnceRow[]> {
	const service = await SandboxProcess.start({ latencyMs: settings.latencyMs });
	try {
		const workflow = await Production.campaign(
			cluster,
			await credentialFor(cluster, service),
			onceEach,
		);
		const rows: SendOnceRow[] = [];
		for (const time of ['at once', 'once more']) {
			const started = Date.now();
			const title = `${what} from ${WORKERS} workers ${time}`;
			await step(`Send Once: ${title}`, async () => await workflow.run(parts));
			const { lost, doubled } = await service.traffic(numbersOf(everything));
			rows.push({
				what: title,
				keys: everything.count,
				lost,
				doubled,
				seconds: (Date.now() - started) / 1000,
			});
		}
		await workflow.switchOff();
		return rows;
	} finally {
		await service.stop();
	}
}
