/** Measures the memory, handles and timers of n8n's processes, and moves their clocks, with a module and libraries that they load. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onStop, step, UserError } from '../../../harness/cli';
import type { N8nProcess } from '../../../harness/n8n/server';
import { aptInstall } from '../../../harness/n8n/install';
import { runCommand } from '../../../harness/processes';
import { until } from '../../../harness/until';
import { nameOf } from './machine';

const MEASURE_LIMIT = 30_000;
const COMPILE_LIMIT = 60_000;
/** The memory of a process is compared with its memory at this age, or at half its age if that is less, seconds. */
const WARM_AGE = 600;
/** Memory is measured as the minimum over this time, seconds, because running executions need some for a short time. */
const SPAN = 300;
/** The greatest ratio of the memory at the end to the memory before. Checked only if the process has run for this long, seconds. */
const MAX_GROWTH = 1.1;
const MATURE_AGE = 2 * WARM_AGE;

/** What a process holds after garbage collection, without the memory that malloc keeps for later. */
interface Usage {
	/** Time since the start of the process, seconds. */
	ageSeconds: number;
	/** Resident memory and used heap, MB. */
	rssMb: number;
	heapMb: number;
	/** Open handles and requests other than timers; timers. */
	handles: number;
	timers: number;
}

/** What the processes held, in the order of time. */
export class Memory {
	private readonly samples = new Map<N8nProcess, Usage[]>();

	constructor(private readonly processes: N8nProcess[]) {}

	/** Measures all running processes. A process that was started again begins with a new series. */
	async sample(): Promise<void> {
		for (const one of this.processes) {
			const usage = await measure(one).catch(() => undefined);
			if (!usage) continue;
			const known = this.samples.get(one) ?? [];
			const isNew = usage.ageSeconds < (known.at(-1)?.ageSeconds ?? 0);
			this.samples.set(one, isNew ? [usage] : [...known, usage]);
		}
	}

	/** One row for each process that was measured. */
	rows() {
		return this.processes.flatMap((one) => {
			const samples = this.samples.get(one) ?? [];
			const age = samples.at(-1)?.ageSeconds;
			if (age === undefined) return [];
			const least = (key: keyof Usage, start: number) => {
				const those = samples.filter(
					({ ageSeconds }) => ageSeconds >= start && ageSeconds <= start + SPAN,
				);
				return Math.min(...those.map((usage) => usage[key]));
			};
			const warm = Math.min(WARM_AGE, age / 2) - SPAN / 2;
			const [rssMbWarm, rssMb] = [least('rssMb', warm), least('rssMb', age - SPAN)];
			const [heapMbWarm, heapMb] = [least('heapMb', warm), least('heapMb', age - SPAN)];
			return {
				...{ process: nameOf(one), minutesOld: age / 60 },
				...{ rssMbWarm, rssMb, growth: rssMb / rssMbWarm, heapMbWarm, heapMb },
				...{ handlesWarm: least('handles', warm), handles: least('handles', age - SPAN) },
				...{ timersWarm: least('timers', warm), timers: least('timers', age - SPAN) },
			};
		});
	}

	/** The processes that hold too much, or that could not be measured, one sentence each. */
	faults(): string[] {
		const rows = this.rows();
		const measured = rows.map(({ process }) => process);
		const missing = this.processes.map(nameOf).filter((name) => !measured.includes(name));
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

/** What a process holds; undefined if it is not running. */
async function measure({ pid, place }: N8nProcess): Promise<Usage | undefined> {
	const file = path.join(place.userFolder, 'usage.json');
	const ready = Number(await readFile(`${file}.pid`, 'utf8'));
	if (pid === undefined || ready !== pid) return undefined;
	await rm(file, { force: true });
	process.kill(pid, 'SIGUSR2');
	const what = `n8n's process ${pid} to measure itself`;
	await until(what, () => existsSync(file), { limit: MEASURE_LIMIT });
	return JSON.parse(await readFile(file, 'utf8')) as Usage;
}

/** Sets the clock of a process ahead of the machine's, or behind it, in seconds. */
export function setClock({ place }: N8nProcess, seconds: number): void {
	writeFileSync(clockOf(place.userFolder), `${seconds < 0 ? '' : '+'}${seconds}\n`);
}

const clockOf = (userFolder: string) => path.join(userFolder, 'clock');

/**
 * Prepares files that processes need, so that they can be measured and have a clock of their own.
 *
 * @returns the environment of a process, by its folder
 */
export async function prepareProcesses(): Promise<(userFolder: string) => NodeJS.ProcessEnv> {
	const library = await step('libfaketime: installing it if need be', findFaketime);
	const trim = await compileTrim();
	return (userFolder) => {
		mkdirSync(userFolder, { recursive: true });
		writeFileSync(clockOf(userFolder), '+0\n');
		return {
			NODE_OPTIONS: `--require ${JSON.stringify(path.join(__dirname, 'measure.cjs'))}`,
			SOAK_TRIM: trim,
			LD_PRELOAD: library,
			FAKETIME_TIMESTAMP_FILE: clockOf(userFolder),
			FAKETIME_DONT_FAKE_MONOTONIC: '1',
			FAKETIME_CACHE_DURATION: '1',
			// docs/measurements.md recommends this for many events.
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			// The test reads every execution, so none may be pruned.
			EXECUTIONS_DATA_PRUNE: 'false',
		};
	};
}

/** Compiles what measure.cjs loads. @returns the file, which is removed when the program ends */
async function compileTrim(): Promise<string> {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-trim-'));
	onStop(async () => await rm(folder, { recursive: true }));
	const [source, file] = [path.join(__dirname, 'trim.c'), path.join(folder, 'trim.node')];
	await runCommand('cc', ['-shared', '-fPIC', '-o', file, source], { limit: COMPILE_LIMIT });
	return file;
}

/** Debian's libfaketime; installs it as root. @throws UserError that says what to install */
async function findFaketime(): Promise<string> {
	const find = () =>
		readdirSync('/usr/lib')
			.map((name) => `/usr/lib/${name}/faketime/libfaketimeMT.so.1`)
			.find((file) => existsSync(file));
	if (!find() && process.getuid?.() === 0) await aptInstall(['faketime']);
	const library = find();
	if (library) return library;
	throw new UserError('The soak test sets clocks: install faketime (apt-get install faketime).');
}
