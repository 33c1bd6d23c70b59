/** Programs that this process starts, and that end with it whatever happens; ports for them. */
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import execa, { type ExecaChildProcess, type ExecaError, type Options } from 'execa';
import getPort from 'get-port';
import pickBy from 'lodash/pickBy';
import { UserError } from './cli';

/** A module that ends a Node.js program when its parent process is gone, even by SIGKILL; for `--require`. */
export const END_WITH_PARENT = path.join(__dirname, 'endWithParent.cjs');

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
	child.kill('SIGTERM', { forceKillAfterTimeout: limit });
	await child;
	signalTree(child, 'SIGKILL');
}

/** Ends a child started by {@link spawnTree} and all its children at once, as a crash would. */
export async function killTree(child: ExecaChildProcess): Promise<void> {
	signalTree(child, 'SIGKILL');
	await child;
}

/** A command that ended with another code than 0, could not be started or took too long. */
export class CommandError extends Error {
	override readonly name = 'CommandError';

	constructor(
		message: string,
		/** What it printed. */
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
	// What `npm run` says about this project would confuse another npm that works in another folder.
	const ours = /^npm_(package_|lifecycle_|command$|config_local_prefix$)/;
	const child = spawnTree(command, args, {
		cwd,
		env: {
			...pickBy(process.env, (_, name) => !ours.test(name)),
			// npm and its children must end when this process was killed.
			NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(END_WITH_PARENT)}`,
			...env,
		},
		stdin: 'ignore',
		buffer: true,
		stripFinalNewline: false,
		all: true,
		timeout: limit,
	});
	if (log) child.all?.pipe(createWriteStream(log, { flags: 'a' }));
	const result = (await child) as Awaited<typeof child> & Partial<ExecaError>;
	// Its children may still run if it took too long.
	signalTree(child, 'SIGKILL');
	if (!result.failed) return result.stdout;
	throw new CommandError(result.shortMessage ?? command, result.all ?? '', result.timedOut);
}

const host = '127.0.0.1';

/** A TCP port of 127.0.0.1 that nobody listens on; another one at each call. */
export async function freePort(): Promise<number> {
	return await getPort({ host });
}

/**
 * Reads a port from the command line, and makes sure that it can be listened on.
 * @throws UserError naming the flag
 */
export async function readPort(
	value: string | undefined,
	flag: string,
	otherwise: number,
): Promise<number> {
	const port = Number(value ?? otherwise);
	const free = await getPort({ host, port }).catch(() => undefined);
	if (free === port) return port;
	throw new UserError(
		`Port ${value ?? otherwise} cannot be used: stop the program that uses it, or choose another port with ${flag} <number>.`,
	);
}
