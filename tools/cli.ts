/** What all command-line programs here share: flags, errors for people, progress, tables, and a clean shutdown. */
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
	const kinds = Object.entries<Kind>({ ...flags, help: 'boolean' });
	const options = Object.fromEntries(kinds.map(([name, type]) => [name, { type }]));
	try {
		const { values } = parseArgs({ options });
		if (!values.help) return values as Values<Flags>;
	} catch (error) {
		throw new UserError(`${(error as Error).message}\n${usage}`);
	}
	console.log(usage);
	process.exit(0);
}

/** A TCP port given on the command line. @throws UserError naming the flag */
export function readPort(value: string | undefined, flag: string, otherwise: number): number {
	const port = Number(value ?? otherwise);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new UserError(`${flag} takes a port number from 1 to 65535, not "${value}".`);
}

/** Prints rows as a table, numbers with two decimal places. */
export function printTable(rows: object[]): void {
	const shown = (value: unknown) => (typeof value === 'number' ? round(value, 2) : value);
	console.table(rows.map((row) => mapValues(row, shown)));
}

/** Milliseconds between two redraws, and between two plain lines where there is no terminal to redraw. */
const REDRAW_INTERVAL = 1000;
const PLAIN_INTERVAL = 15_000;

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
	const show = () => {
		if (process.stderr.isTTY) spinner.text = line();
		else process.stderr.write(`- ${line()}\n`);
	};
	const timer = setInterval(show, process.stderr.isTTY ? REDRAW_INTERVAL : PLAIN_INTERVAL);
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

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
/** A second signal within this time is the first one again: Ctrl-C reaches this process from the terminal and through npm. */
const ECHO_MS = 1000;
const cleanups: Array<() => Promise<unknown>> = [];
let interrupted = 0;

/** Registers something to stop, the last one first, when the program ends or is interrupted (Ctrl-C, SIGTERM). */
export function onStop(cleanup: () => Promise<unknown>): void {
	cleanups.push(cleanup);
}

/**
 * Runs a command-line program, stops what it left to {@link onStop}, and ends the process with 0, or with 1 after one
 * sentence on stderr (a defect, which is any error but a UserError, shows its stack). A signal stops in the same
 * order and ends the process as that signal would; a second signal ends it at once.
 */
export function runMain(main: () => Promise<void>): void {
	for (const [name, number] of Object.entries(SIGNALS)) {
		process.on(name, () => {
			if (interrupted === 0) void stopAll().then(() => process.exit(128 + number));
			else if (Date.now() - interrupted > ECHO_MS) process.exit(128 + number);
			interrupted ||= Date.now();
		});
	}
	void main()
		.then(
			() => 0,
			(error: unknown) => (interrupted ? 1 : report(error)),
		)
		.then(async (code) => {
			if (interrupted) return;
			await stopAll();
			process.exit(code);
		});
}

async function stopAll(): Promise<void> {
	for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) {
		await cleanup().catch(report);
	}
}

function report(error: unknown): 1 {
	const { message, stack } = error as Error;
	process.stderr.write(`\n${error instanceof UserError ? message : (stack ?? String(error))}\n`);
	return 1;
}
