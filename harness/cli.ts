/** Code that all command-line programs of this project share: flags, errors for people, progress, tables, and a clean shutdown. */
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import mapValues from 'lodash/mapValues';
import round from 'lodash/round';

/** A failure that the person at the terminal can fix. The message is one clear sentence; no stack is shown. */
export class UserError extends Error {
	override readonly name = 'UserError';
}

type Kind = 'string' | 'boolean';

/** A flag that was not given is absent. */
type Values<Flags extends Record<string, Kind>> = {
	[Name in keyof Flags]?: Flags[Name] extends 'boolean' ? boolean : string;
};

/**
 * Reads the command line, e.g. `--json FILE --quick`: a flag takes a value (`string`) or not (`boolean`). `--help`
 * shows the usage and ends the program. @throws UserError with the usage
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

/** Runs a long step, and shows on stderr how long it has taken, and its `counter`, e.g. "240 sent". */
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
	const { isTTY } = process.stderr;
	// In a terminal, each line replaces the one before.
	const show = (sign: string, end = '\n') =>
		process.stderr.write(`${isTTY ? '\r\x1b[K' : ''}${sign} ${line()}${end}`);
	show('-', isTTY ? '' : '\n');
	const timer = setInterval(() => show('-', isTTY ? '' : '\n'), isTTY ? 1_000 : 15_000);
	try {
		const result = await work();
		show('✔');
		return result;
	} catch (error) {
		show('✖');
		throw error;
	} finally {
		clearInterval(timer);
	}
}

const cleanups: Array<() => Promise<unknown>> = [];
let isInterrupted = false;

/** Registers a function for the end of the program, also by Ctrl-C or SIGTERM; last registered, first called. */
export function onStop(cleanup: () => Promise<unknown>): void {
	cleanups.push(cleanup);
}

/**
 * Runs a command-line program, stops everything registered with {@link onStop}, and ends with 0. After an error, it
 * ends with 1 and one sentence on stderr, or the stack if it is not a UserError. After a signal, it ends as the signal
 * would.
 */
export function runMain(main: () => Promise<void>): void {
	for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
		process.on(name, () => {
			// Ctrl-C reaches this process twice: from the terminal, and through npm.
			if (isInterrupted) return;
			isInterrupted = true;
			void stopAll().then(() => process.exit(128 + constants.signals[name]));
		});
	}
	void main()
		.catch((error: unknown) => {
			// An interrupted program prints no error except that it was interrupted.
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
