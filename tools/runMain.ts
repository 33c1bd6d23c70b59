import { UserError } from './userError';

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
const cleanups: Array<() => Promise<void>> = [];
/** A second signal within this time is the first one again: Ctrl-C reaches this process from the terminal and through npm. */
const ECHO_MS = 1000;
let interrupted = 0;

/** Has something stopped in good order, the last one first, when the program ends or is told to end (Ctrl-C, SIGTERM). */
export function onStop(cleanup: () => Promise<void>): void {
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
	const text =
		error instanceof UserError
			? error.message
			: error instanceof Error
				? error.stack
				: String(error);
	process.stderr.write(`\n${text}\n`);
	return 1;
}
