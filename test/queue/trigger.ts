/** The trigger under load, with deliveries that are repeated to the same process and to another one. */
import axios from 'axios';
import pLimit from 'p-limit';
import { FIRST_NUMBER, numbersOf } from '../../tools/numbers';
import { step } from '../../tools/progress';
import { SandboxProcess } from '../../tools/sandboxProcess';
import { waitFor } from '../../tools/waitFor';
import type { Delivery } from '../../sandbox/deliveries';
import { type Cluster, credentialFor } from './cluster';
import { type Settings } from './settings';
import { Production } from './workflows';

const DELIVERY_LIMIT = 3 * 60_000;
const SIDE_BY_SIDE = 10;

/** What became of events; every execution answers its customer, so that the service counts them. */
export interface TriggerRow {
	deliveries: string;
	/** Different events, and how many deliveries of them there were. */
	events: number;
	delivered: number;
	/** Events that started an execution at least once, and those that started more than one. */
	executed: number;
	doubled: number;
	/** From the first delivery to the end of the last execution. */
	seconds: number;
}

/** Lets customers write, and repeats what was delivered. */
export async function measureTrigger(cluster: Cluster, settings: Settings): Promise<TriggerRow[]> {
	const { events } = settings;
	const service = await SandboxProcess.start({ latencyMs: settings.latencyMs });
	const workflow = await Production.autoReply(cluster, await credentialFor(cluster, service));
	const rows: TriggerRow[] = [];
	const measure = async (
		deliveries: string,
		of: { from: number; count: number },
		delivered: number,
		work: () => Promise<unknown>,
	) => {
		const started = Date.now();
		await step(`Trigger: ${deliveries}`, async () => {
			await work();
			await workflow.ended();
		});
		const { lost, doubled } = await service.traffic(numbersOf(of));
		rows.push({
			deliveries,
			events: of.count,
			delivered,
			executed: of.count - lost,
			doubled,
			seconds: (Date.now() - started) / 1000,
		});
	};
	try {
		const first = { from: 0, count: events };
		await measure('each once', first, events, async () => await write(service, first));
		const delivered = await service.look<Delivery>('/deliveries');
		const there = ({ url }: Delivery) => url;
		const elsewhere = ({ url }: Delivery) => url.replace(cluster.webhooks.url, cluster.main.url);
		await measure(
			'again, to the same process',
			first,
			events,
			async () => await deliver(delivered, [there]),
		);
		await measure(
			'again, to another process',
			first,
			events,
			async () => await deliver(delivered, [elsewhere]),
		);
		const second = { from: events, count: events };
		const copies = delivered.map((delivery, index) =>
			copyOf(delivery, FIRST_NUMBER + events + index),
		);
		await measure(
			'to the same process twice at once',
			second,
			2 * events,
			async () => await deliver(copies, [there, there]),
		);
		const third = { from: 2 * events, count: events };
		const others = delivered.map((delivery, index) =>
			copyOf(delivery, FIRST_NUMBER + 2 * events + index),
		);
		await measure(
			'to two processes at once',
			third,
			2 * events,
			async () => await deliver(others, [there, elsewhere]),
		);
		await workflow.switchOff();
		return rows;
	} finally {
		await service.stop();
	}
}

async function write(service: SandboxProcess, of: { from: number; count: number }): Promise<void> {
	await Promise.all(numbersOf(of).map(async (number) => await service.receive(number, 'Hello')));
	const settled = async () =>
		(await service.look<Delivery>('/deliveries')).every(({ state }) => state !== 'pending');
	await waitFor(settled, { what: 'n8n to answer the deliveries', limit: DELIVERY_LIMIT });
}

/** Brings each delivery to all addresses at the same moment. */
async function deliver(
	deliveries: Delivery[],
	addresses: Array<(delivery: Delivery) => string>,
): Promise<void> {
	const limit = pLimit(SIDE_BY_SIDE);
	const bring = async (delivery: Delivery) =>
		await Promise.all(
			addresses.map(
				async (address) =>
					await axios.post(
						address(delivery),
						{ event: delivery.event, data: delivery.data },
						{ timeout: 60_000, proxy: false },
					),
			),
		);
	await Promise.all(deliveries.map(async (delivery) => await limit(bring, delivery)));
}

/** Another event of the same kind. */
function copyOf(delivery: Delivery, number: number): Delivery {
	return { ...delivery, data: { ...delivery.data, id: `copy-${number}`, from: `+${number}` } };
}
