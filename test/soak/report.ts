/** The tables of a soak test: what should have happened and what did, the memory of the processes, and the size of stored data. */
import type { N8nProcess } from '../../tools/n8n/server';
import { measure, type Usage } from './machine';
import { patiently, type Shop } from './shop';
import type { Line, Truth } from './truth';

/** The memory of a process is compared with what it was at this age, or at half its age if that is less, seconds. */
const WARM_AGE = 600;
/** What executions under way hold comes and goes, so the least of this time is compared, seconds. */
const SPAN = 300;
/** What a process may hold in the end, by what it held then; held only if it has run for this long, seconds. */
const MAX_GROWTH = 1.1;
const MATURE_AGE = 2 * WARM_AGE;

/** What the processes held, in the order of time. */
export class Memory {
	private readonly samples = new Map<N8nProcess, Usage[]>();

	constructor(private readonly processes: Record<string, N8nProcess>) {}

	/** Measures all that run. A process that was started again starts from zero. */
	async sample(): Promise<void> {
		for (const one of Object.values(this.processes)) {
			const usage = await measure(one).catch(() => undefined);
			if (!usage) continue;
			const known = this.samples.get(one) ?? [];
			const isNew = usage.ageSeconds < (known.at(-1)?.ageSeconds ?? 0);
			this.samples.set(one, isNew ? [usage] : [...known, usage]);
		}
	}

	/** One row for each process. */
	rows() {
		return Object.entries(this.processes).flatMap(([name, one]) => {
			const samples = this.samples.get(one) ?? [];
			const age = samples.at(-1)?.ageSeconds;
			if (age === undefined) return [];
			const warmAge = Math.min(WARM_AGE, age / 2);
			const from = (start: number) =>
				samples.filter((it) => it.ageSeconds >= start && it.ageSeconds <= start + SPAN);
			const [warm, end] = [from(warmAge - SPAN / 2), from(age - SPAN)].map(leastOf);
			return {
				process: name,
				minutesOld: age / 60,
				...{ rssMbWarm: warm.rssMb, rssMb: end.rssMb, growth: end.rssMb / warm.rssMb },
				...{ heapMbWarm: warm.heapMb, heapMb: end.heapMb },
				...{ handlesWarm: warm.handles, handles: end.handles },
				...{ timersWarm: warm.timers, timers: end.timers },
			};
		});
	}

	/** The processes that hold too much, or that could not be measured, in sentences. */
	faults(): string[] {
		const rows = this.rows();
		const measured = new Set(rows.map(({ process }) => process));
		const missing = Object.keys(this.processes).filter((name) => !measured.has(name));
		const grown = rows.filter(
			({ growth, minutesOld }) => !(growth <= MAX_GROWTH) && minutesOld * 60 >= MATURE_AGE,
		);
		return [
			...missing.map((name) => `The memory of ${name} could not be measured.`),
			...grown.map(
				({ process, growth }) =>
					`The memory of ${process} has grown to ${growth.toFixed(2)} times.`,
			),
		];
	}
}

function leastOf(samples: Usage[]): Omit<Usage, 'ageSeconds'> {
	const least = (key: keyof Usage) => Math.min(...samples.map((one) => one[key]));
	const [rssMb, heapMb] = [least('rssMb'), least('heapMb')];
	return { rssMb, heapMb, handles: least('handles'), timers: least('timers') };
}

/** The lines as a table. */
export function tableOf(lines: Line[]) {
	return lines.map(({ lost, doubled, uncertain, ...line }) => ({
		...line,
		...{ lost: lost.length, doubled: doubled.length, uncertain: uncertain.length },
	}));
}

/** What is lost or doubled, in sentences. */
export function faultsOf(lines: Line[]): string[] {
	const some = (all: string[]) => [...all.slice(0, 5), ...(all.length > 5 ? ['…'] : [])].join('; ');
	return lines.flatMap(({ what, lost, doubled }) => [
		...(lost.length > 0 ? [`${what}, ${lost.length} lost: ${some(lost)}`] : []),
		...(doubled.length > 0 ? [`${what}, ${doubled.length} doubled: ${some(doubled)}`] : []),
	]);
}

/** Bytes in n8n's database, the slowest answer to a delivery, and what n8n has run. */
export async function readSizes({ machine }: Shop, truth: Truth) {
	const { database } = machine;
	const one = async (sql: string) => (await database.numbers(sql))[0] ?? 0;
	const kilobytes = async (column: string, table: string) =>
		(await one(`SELECT SUM(LENGTH(CAST(${column} AS TEXT))) FROM ${table}`)) / 1024;
	const count = 'SELECT COUNT(*) FROM execution_entity';
	return {
		staticDataKb: await kilobytes('"staticData"', 'workflow_entity'),
		deduplicationKb: await kilobytes('value', 'processed_data'),
		executions: await one(count),
		crashed: await one(`${count} WHERE status = 'crashed'`),
		deliveries: truth.deliveries.length,
		slowestAnswerSeconds: truth.slowestAnswer / 1000,
	};
}

/** Switches everything off. @returns how many webhooks are left at the service */
export async function closeShop({ machine, places, sandbox }: Shop): Promise<number> {
	for (const { id } of Object.values(places))
		await patiently(async () => await machine.main.client.deactivate(id));
	return sandbox.state.webhooks.all.length;
}
