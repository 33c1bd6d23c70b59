/** What all command-line programs here share: flags, errors for people, progress, tables, and a clean shutdown. */
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import mapValues from 'lodash/mapValues';
import round from 'lodash/round';
import ora from 'ora';

/** A failure that the person at the terminal can act on. The message is one clear sentence; no stack is shown for it. */
export class UserError extends Error {
	override readonly name = 'UserError';
}

type Kind = 'string' | 'boolean';

/** Values by the names of the flags; absent where the flag was not given. */
type Values<Flags extends Record<string, Kind>> = {
	[Name in keyof Flags]?: Flags[Name] extends 'boolean' ? boolean : string;
};

/**
 * Reads the command line, e.g. `--json FILE --quick`. `--help` shows the usage and ends the program.
 * @param flags their names, and whether they take a value (`string`) or not (`boolean`)
 * @throws UserError with the usage
 */
export function readFlags<const Flags extends Record<string, Kind>>(
	flags: Flags,
	usage: string,
): Values<Flags> {
	const options = mapValues<Record<string, Kind>, { type: Kind }>(
		{ ...flags, help: 'boolean' },
		(type) => ({ type }),
	);
	try {
		const { values } = parseArgs({ options });
		if (!values.help) return values as Values<Flags>;
	} catch (error) {
		throw new UserError(`${(error as Error).message}\n${usage}`);
	}
	console.log(usage);
	process.exit(0);
}

/** Prints rows as a table, numbers with two decimal places. */
export function printTable(rows: object[]): void {
	const shown = (value: unknown) => (typeof value === 'number' ? round(value, 2) : value);
	console.table(rows.map((row) => mapValues(row, shown)));
}

/**
 * Runs one step of something that takes long, and shows on stderr how long it has taken, so that it never looks hung.
 * @param counter says how far the step has come, e.g. "240 sent"
 */
export async function step<T>(
	title: string,
	work: () => Promise<T>,
	counter?: () => string,
): Promise<T> {
	const start = Date.now();
	const line = () => {
		const seconds = `${Math.round((Date.now() - start) / 1000)} s`;
		return [title, counter?.(), seconds].filter(Boolean).join(' · ');
	};
	const spinner = ora(title).start();
	const { isTTY } = process.stderr;
	const show = () => {
		if (isTTY) spinner.text = line();
		else process.stderr.write(`- ${line()}\n`);
	};
	const timer = setInterval(show, isTTY ? 1_000 : 15_000);
	try {
		const result = await work();
		spinner.succeed(line());
		return result;
	} catch (error) {
		spinner.fail(line());
		throw error;
	} finally {
		clearInterval(timer);
	}
}

const cleanups: Array<() => Promise<unknown>> = [];
let isInterrupted = false;

/** Registers something to stop, the last one first, when the program ends or is interrupted (Ctrl-C, SIGTERM). */
export function onStop(cleanup: () => Promise<unknown>): void {
	cleanups.push(cleanup);
}

/**
 * Runs a command-line program, stops what it left to {@link onStop}, and ends the process with 0, or with 1 after one
 * sentence on stderr (a defect, which is any error but a UserError, shows its stack). A signal stops in the same
 * order and ends the process as that signal would.
 */
export function runMain(main: () => Promise<void>): void {
	for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
		process.on(name, () => {
			// Ctrl-C reaches this process from the terminal, and again through npm.
			if (isInterrupted) return;
			isInterrupted = true;
			void stopAll().then(() => process.exit(128 + constants.signals[name]));
		});
	}
	void main()
		.catch((error: unknown) => {
			// What an interrupted program says is only that it was interrupted.
			if (!isInterrupted) report(error);
		})
		.then(async () => {
			if (isInterrupted) return;
			await stopAll();
			process.exit();
		});
}

async function stopAll(): Promise<void> {
	for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) {
		await cleanup().catch(report);
	}
}

function report(error: unknown): void {
	const { message, stack } = error as Error;
	process.stderr.write(`\n${error instanceof UserError ? message : (stack ?? String(error))}\n`);
	process.exitCode = 1;
}
