/** The trigger under load, with deliveries that are repeated to the same process and to another one; and Send and Wait for Response. */
import axios from 'axios';
import pLimit from 'p-limit';
import type { Delivery } from '../../sandbox/deliveries';
import { step } from '../../tools/cli';
import { FIRST_NUMBER, numbersOf, SandboxProcess } from '../../tools/sandboxClient';
import { waitFor } from '../../tools/waitFor';
import { type Cluster, workersOf } from './cluster';
import { outputsOf, Production } from './production';
import { faultsIf, partsOf, type Result, rounded, type Settings } from './scenario';

const DELIVERY_LIMIT = 3 * 60_000;
const CLEAN_UP_LIMIT = 2 * 60_000;
const SIDE_BY_SIDE = 10;

/** Where a delivery is to be brought. */
type Address = (delivery: Delivery) => string;

/** Customers write, and what was delivered is repeated. Every execution answers its customer, so that the service counts them. */
export async function trigger(cluster: Cluster, settings: Settings): Promise<Result> {
	const { events, latencyMs } = settings;
	return await SandboxProcess.during({ latencyMs }, async (service) => {
		const workflow = await Production.autoReply(cluster, service);
		const rows: Result['rows'] = [];
		const faults: string[] = [];
		/** @param round whose events these are: each round has its own customers */
		const measure = async (
			what: string,
			round: number,
			delivered: number,
			work: () => Promise<void>,
		) => {
			const start = Date.now();
			await step(`Trigger: ${what}`, async () => {
				await work();
				await workflow.ended();
			});
			const seconds = (Date.now() - start) / 1000;
			const numbers = numbersOf({ from: round * events, count: events });
			const { lost, doubled } = await service.traffic(numbers);
			const perSecond = rounded(delivered / seconds);
			rows.push({ what, events, delivered, executed: events - lost, doubled, perSecond });
			// Each process knows only what it took itself; docs/scaling.md says what follows from that.
			const isWrong = doubled > 0 && what.includes('same process');
			faults.push(
				...faultsIf(
					[lost > 0, `${what}: ${lost} of ${events} events started no execution`],
					[isWrong, `${what}: ${doubled} events started two executions`],
				),
			);
		};
		await measure('each once', 0, events, async () => await write(service, events));
		const first = await service.look<Delivery>('/deliveries');
		const copies = (round: number) =>
			first.map((delivery, index) => copyOf(delivery, FIRST_NUMBER + round * events + index));
		const there: Address = ({ url }) => url;
		const elsewhere: Address = ({ url }) => url.replace(cluster.webhooks.url, cluster.main.url);
		const repeats: Array<[string, number, Delivery[], Address[]]> = [
			['again, to the same process', 0, first, [there]],
			['again, to another process', 0, first, [elsewhere]],
			['to the same process twice at once', 1, copies(1), [there, there]],
			['to two processes at once', 2, copies(2), [there, elsewhere]],
		];
		for (const [what, round, deliveries, addresses] of repeats)
			await measure(what, round, deliveries.length * addresses.length, async () => {
				await deliver(deliveries, addresses);
			});
		await workflow.switchOff();
		return { rows, faults };
	});
}

async function write(service: SandboxProcess, count: number): Promise<void> {
	const numbers = numbersOf({ from: 0, count });
	await Promise.all(numbers.map(async (number) => await service.receive(number, 'Hello')));
	const settled = async () =>
		(await service.look<Delivery>('/deliveries')).every(({ state }) => state !== 'pending');
	await waitFor(settled, { what: 'n8n to answer the deliveries', limit: DELIVERY_LIMIT });
}

/** Brings each delivery to all addresses at the same moment. */
async function deliver(deliveries: Delivery[], addresses: Address[]): Promise<void> {
	const limit = pLimit(SIDE_BY_SIDE);
	const options = { timeout: 60_000, proxy: false } as const;
	const bring = async (delivery: Delivery) => {
		const { event, data } = delivery;
		const urls = addresses.map((address) => address(delivery));
		await Promise.all(urls.map(async (url) => await axios.post(url, { event, data }, options)));
	};
	await Promise.all(deliveries.map(async (delivery) => await limit(bring, delivery)));
}

/** Another event of the same kind. */
function copyOf(delivery: Delivery, number: number): Delivery {
	return { ...delivery, data: { ...delivery.data, id: `copy-${number}`, from: `+${number}` } };
}

/** The worker that asked is gone when the answers come; the others go on with them. */
export async function replies(cluster: Cluster, settings: Settings): Promise<Result> {
	const { questions: asked, latencyMs } = settings;
	const question = {
		resource: 'message',
		operation: 'sendAndWait',
		message: 'Would Tuesday suit you?',
		limitWaitTime: 60,
		waitTimeUnit: 'minutes',
	};
	const run = async (service: SandboxProcess): Promise<Result> => {
		const workflow = await Production.campaign(cluster, service, question);
		await workflow.start(partsOf(asked, asked));
		const ids = await workflow.until(['waiting'], asked);
		const askers = ids.map((id) => workersOf(cluster, id)[0]);
		const [stopped] = askers;
		await stopped.stop();
		const numbers = numbersOf({ from: 0, count: asked });
		for (const number of numbers) await service.receive(number, `Yes, says ${number}`);
		await workflow.ended();
		const answers = outputsOf(await workflow.read(ids));
		const answered = answers.filter(
			({ from, text }) => text === `Yes, says ${String(from)}`,
		).length;
		const elsewhere = ids.filter((id, index) =>
			workersOf(cluster, id).some((worker) => worker !== askers[index]),
		).length;
		const { doubled } = await service.traffic(numbers);
		const webhooksLeft = await untilRemoved(service);
		await workflow.switchOff();
		await stopped.start();
		return {
			rows: [{ asked, answered, elsewhere, doubled, webhooksLeft }],
			faults: faultsIf(
				[answered < asked, `${answered} of ${asked} answers arrived`],
				[elsewhere === 0, 'no execution went on at another worker'],
				[doubled > 0, `${doubled} were asked twice`],
				[webhooksLeft > 0, `${webhooksLeft} webhooks were left at the service`],
			),
		};
	};
	return await step(
		`Send and Wait: ${asked} questions, answered after a worker that asked was stopped`,
		async () => await SandboxProcess.during({ latencyMs }, run),
	);
}

/** They are removed after n8n has gone on. @returns how many are left */
async function untilRemoved(service: SandboxProcess): Promise<number> {
	const count = async () => (await service.look('/webhooks')).length;
	const none = async () => (await count()) === 0;
	await waitFor(none, { what: 'no webhook', limit: CLEAN_UP_LIMIT }).catch(() => undefined);
	return await count();
}
