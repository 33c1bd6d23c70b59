/** The trigger under load, with deliveries that are repeated to the same process and to another one; and Send and Wait for Response. */
import axios from 'axios';
import countBy from 'lodash/countBy';
import partition from 'lodash/partition';
import pLimit from 'p-limit';
import type { Delivery } from '../../sandbox/deliveries';
import { step } from '../../tools/cli';
import { FIRST_NUMBER, numbersOf, SandboxProcess } from '../../tools/sandboxClient';
import { until } from '../../tools/until';
import { type Cluster, workersOf } from './cluster';
import { outputsOf, Production } from './production';
import { faultsIf, partsOf, type Result, rounded, type Settings } from './scenario';

const DELIVERY_LIMIT = 3 * 60_000;
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
	await until('n8n to answer the deliveries', settled, { limit: DELIVERY_LIMIT });
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

/** Answers that come to two webhook processes in turn, then to one. */
export async function replies(cluster: Cluster, settings: Settings): Promise<Result> {
	const results: Result[] = [];
	for (const count of [2, 1]) {
		cluster.webhooks.servers = cluster.webhookProcesses.slice(0, count);
		const title = `Send and Wait: ${settings.questions} questions, webhook processes: ${count}`;
		const work = async (service: SandboxProcess) => await askAll(cluster, settings, service);
		const { latencyMs } = settings;
		results.push(await step(title, async () => await SandboxProcess.during({ latencyMs }, work)));
	}
	return {
		rows: results.flatMap(({ rows }) => rows),
		faults: results.flatMap(({ faults }) => faults),
	};
}

const answerOf = (number: unknown) => `Yes, says ${String(number)}`;

/** Half of the people answer as soon as they are asked; the others after a worker that asked was stopped. */
async function askAll(
	cluster: Cluster,
	{ questions: asked, runs }: Settings,
	service: SandboxProcess,
): Promise<Result> {
	const inbox = await Production.autoReply(cluster, service);
	const workflow = await Production.campaign(cluster, service, {
		resource: 'message',
		operation: 'sendAndWait',
		message: 'Would Tuesday suit you?',
		limitWaitTime: 60,
		waitTimeUnit: 'minutes',
	});
	const numbers = numbersOf({ from: 0, count: asked });
	const answer = async (number: string) => await service.receive(number, answerOf(number));
	const [early, late] = partition(numbers, (number) => Number(number) % 2 === 0);
	await workflow.start(partsOf(asked, runs));
	const open = new Set(early);
	const answerNew = async () => {
		const asking = (await service.sent()).filter(({ phone }) => open.delete(phone));
		await Promise.all(asking.map(async ({ phone }) => await answer(phone)));
		return open.size === 0;
	};
	await until('the questions', answerNew, { limit: DELIVERY_LIMIT, interval: 20 });
	const ids = await workflow.until(['waiting'], runs);
	const askers = ids.map((id) => workersOf(cluster, id)[0]);
	const [stopped] = askers;
	await stopped.stop();
	await Promise.all(late.map(answer));
	// Runs that have not ended by then show as missing replies.
	await workflow.ended().catch(() => undefined);
	const answers = outputsOf(await workflow.read(ids));
	const times = countBy(
		answers.filter(({ from, text }) => text === answerOf(from)),
		'from',
	);
	const row = {
		webhookProcesses: cluster.webhooks.servers.length,
		asked,
		lost: numbers.filter((number) => !times[number]).length,
		doubled: numbers.filter((number) => times[number] > 1).length,
		askedTwice: (await service.traffic(numbers)).doubled,
		elsewhere: ids.filter((id, index) =>
			workersOf(cluster, id).some((worker) => worker !== askers[index]),
		).length,
		startedOthers: (await inbox.executions()).length,
		registrations: (await service.look('/webhooks')).length,
	};
	for (const one of [workflow, inbox]) await one.switchOff();
	await stopped.start();
	return {
		rows: [row],
		faults: faultsIf(
			[row.lost > 0, `${row.lost} of ${asked} answers are missing`],
			[row.doubled > 0, `${row.doubled} answers came out twice`],
			[row.askedTwice > 0, `${row.askedTwice} were asked twice`],
			[row.elsewhere === 0, 'no execution continued at another worker'],
			[row.startedOthers > 0, `${row.startedOthers} answers started a workflow`],
			[row.registrations !== 1, `${row.registrations} webhooks are registered`],
		),
	};
}
