/** How much of a plan the default settings use, at services that respond at different speeds. */
import type { Environment } from '../tools/environment';
import type { N8nServer } from '../tools/n8n/server';
import { noLimit, type SandboxClient, SandboxProcess } from '../tools/sandboxClient';
import { measure, type Measurement, type Sender } from './senders';

const windowMs = 60_000;
/** Messages beyond the allowance of a minute, in relation to it: the first of them shows when the service takes more. */
const surplus = 0.05;

/** What is measured: how long the service takes to respond, ms, and the requests that its plans allow in a minute. */
interface Settings {
	latencies: number[];
	plans: number[];
	/** Messages that show how fast n8n is where nothing limits it. */
	ceilingMessages: number;
}

/** The grid of the full benchmark and of the quick one. */
export const fullGrid: Settings = {
	latencies: [20, 100, 300, 1_000],
	plans: [1_000, 5_000, 20_000],
	ceilingMessages: 3_000,
};
export const quickGrid: Settings = { latencies: [300], plans: [5_000], ceilingMessages: 1_000 };

/** How much of a plan the nodes used. */
export interface GridCell extends Pick<Measurement, 'lost' | 'doubled' | 'tooManyRequests'> {
	latencyMs: number;
	perMinute: number;
	/** From the first message to the first one that has to wait for the next minute. */
	perSecond: number;
	/** What the plan allows, or what n8n can do on this machine. */
	possiblePerSecond: number;
	ratio: number;
}

/** Measures each plan at each response time, each with a separate service. */
export async function measureGrid(
	environment: Environment,
	{ latencies, plans, ceilingMessages }: Settings,
): Promise<GridCell[]> {
	return await environment.withN8ns(1, async (n8ns) => {
		const ceiling = await findCeiling(n8ns, ceilingMessages);
		const cells: GridCell[] = [];
		for (const latencyMs of latencies)
			for (const perMinute of plans)
				cells.push(await measureCell(n8ns, latencyMs, perMinute, ceiling));
		return cells;
	});
}

/** Messages a second of the fastest sender at a service that responds at once and limits nothing. */
async function findCeiling(n8ns: N8nServer[], messages: number): Promise<number> {
	const candidates: Sender[] = ['business-messaging', 'http-request'];
	return await SandboxProcess.during({}, async (service) => {
		const seconds: number[] = [];
		for (const sender of [...candidates, ...candidates])
			seconds.push((await measure(n8ns, service, { sender, messages, rate: noLimit })).seconds);
		return messages / Math.min(...seconds);
	});
}

async function measureCell(
	n8ns: N8nServer[],
	latencyMs: number,
	perMinute: number,
	ceiling: number,
): Promise<GridCell> {
	const rate = { requests: perMinute, windowMs };
	const possiblePerSecond = Math.min(perMinute / 60, ceiling);
	return await SandboxProcess.during({ rate, latencyMs }, async (service) => {
		const order = {
			sender: 'business-messaging',
			messages: perMinute * (1 + surplus),
			rate,
		} as const;
		const { lost, doubled, tooManyRequests } = await measure(n8ns, service, order);
		const perSecond = await pace(service, perMinute);
		const ratio = perSecond / possiblePerSecond;
		const traffic = { lost, doubled, tooManyRequests };
		return { latencyMs, perMinute, perSecond, possiblePerSecond, ratio, ...traffic };
	});
}

/** Messages a second up to the first one beyond the allowance of a minute: the rate of a campaign of any length. */
async function pace(service: SandboxClient, allowance: number): Promise<number> {
	const times = (await service.sent())
		.map(({ createdAt }) => Date.parse(createdAt))
		.sort((one, other) => one - other);
	return (allowance / (times[allowance] - times[0])) * 1_000;
}
