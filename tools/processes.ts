/** Programs that this process starts, and that end with it whatever happens; ports for them. */
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import execa, { type ExecaChildProcess, type ExecaError, type Options } from 'execa';
import getPort from 'get-port';
import { UserError } from './cli';

/** A module that ends a Node.js program when its parent process is gone, even by SIGKILL; for `--require`. */
export const END_WITH_PARENT = path.join(__dirname, 'endWithParent.cjs');
const MAX_OUTPUT = 20_000;

/** Children whose process groups must not outlive this process. */
const alive = new Set<ExecaChildProcess>();

process.on('exit', () => {
	for (const child of alive) signalTree(child, 'SIGKILL');
});

/**
 * Starts a program in a new process group, so that it can be ended with all its children, and so that Ctrl-C
 * in the terminal reaches only this process, which then stops things in order.
 * @param options `env` is the whole environment; this process's if missing
 */
export function spawnTree(command: string, args: string[], options: Options): ExecaChildProcess {
	const child = execa(command, args, {
		buffer: false,
		extendEnv: options.env === undefined,
		...options,
		detached: true,
		cleanup: false,
		reject: false,
	});
	alive.add(child);
	void child.finally(() => alive.delete(child));
	return child;
}

/** Sends a signal to a child started by {@link spawnTree} and to all its children. A tree that is gone is no error. */
function signalTree(child: ExecaChildProcess, signal: NodeJS.Signals): void {
	if (child.pid === undefined) return;
	try {
		process.kill(-child.pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/**
 * Ends a child started by {@link spawnTree}: SIGTERM to the program itself, then SIGKILL to the whole tree.
 * @param limit milliseconds the program may take to end after SIGTERM
 */
export async function stopTree(child: ExecaChildProcess, limit: number): Promise<void> {
	if (isRunning(child)) child.kill('SIGTERM', { forceKillAfterTimeout: limit });
	await child;
	signalTree(child, 'SIGKILL');
}

/** Ends a child started by {@link spawnTree} and all its children at once, as a crash would. */
export async function killTree(child: ExecaChildProcess): Promise<void> {
	signalTree(child, 'SIGKILL');
	await child;
}

/** Whether the program itself has not ended yet. */
export function isRunning(child: ExecaChildProcess): boolean {
	return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** A command that ended with another code than 0, could not be started or took too long. */
export class CommandError extends Error {
	override readonly name = 'CommandError';

	constructor(
		message: string,
		/** The last 20,000 characters of what it printed. */
		readonly output: string,
		readonly timedOut: boolean,
	) {
		super(message);
	}
}

/** Where a command runs, `env` added to this process's, after how many ms it is killed, and the file that gets all it prints. */
interface CommandOptions {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	limit: number;
	log?: string;
}

/** Runs a command to its end and returns what it printed on stdout. @throws CommandError */
export async function runCommand(
	command: string,
	args: string[],
	{ cwd, env, limit, log }: CommandOptions,
): Promise<string> {
	const child = spawnTree(command, args, {
		cwd,
		env: {
			...withoutNpmScript(process.env),
			// npm and its children must end when this process was killed.
			NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(END_WITH_PARENT)}`,
			...env,
		},
		stdin: 'ignore',
		buffer: true,
		stripFinalNewline: false,
		all: true,
	});
	if (log) child.all?.pipe(createWriteStream(log, { flags: 'a' }));
	let timedOut = false;
	const timer = setTimeout(() => {
		timedOut = isRunning(child);
		void killTree(child);
	}, limit);
	const result = (await child) as Awaited<typeof child> & Partial<ExecaError>;
	clearTimeout(timer);
	if (!result.failed) return result.stdout;
	const reason = timedOut
		? `did not finish within ${Math.round(limit / 1000)} s`
		: result.originalMessage || `ended with ${result.signal ?? result.exitCode}`;
	const output = (result.all ?? '').slice(-MAX_OUTPUT);
	throw new CommandError(`${command} ${args[0] ?? ''}: ${reason}`, output, timedOut);
}

/** What `npm run` passes to its script about this project would confuse another npm that works in another folder. */
function withoutNpmScript(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const ours = /^npm_(package_|lifecycle_|command$|config_local_prefix$)/;
	return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}

const host = '127.0.0.1';

/** A TCP port of 127.0.0.1 that nobody listens on; another one at each call. */
export async function freePort(): Promise<number> {
	return await getPort({ host });
}

/**
 * Makes sure that a port can be listened on.
 * @param flag the command-line flag that chooses another port, for the message
 * @throws UserError naming the port, its purpose and the flag
 */
export async function assertPortIsFree(port: number, purpose: string, flag: string): Promise<void> {
	if ((await getPort({ host, port })) === port) return;
	throw new UserError(
		`Port ${port}, meant for ${purpose}, is taken by another program: stop that program or choose another port with ${flag} <number>.`,
	);
}
