/** Starts programs that always end with this process, and finds ports for them. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import execa, { type ExecaChildProcess, type ExecaError, type Options } from 'execa';
import pickBy from 'lodash/pickBy';
import { UserError } from './cli';

/** A module that ends a Node.js program when its parent process is gone, even by SIGKILL; for `--require`. */
export const END_WITH_PARENT = path.join(__dirname, 'endWithParent.cjs');

/** Children whose process groups must end with this process. */
const alive = new Set<ExecaChildProcess>();

process.on('exit', () => {
	for (const child of alive) signalTree(child, 'SIGKILL');
});

/**
 * Starts a program in a new process group: it ends with all its children, and Ctrl-C in the terminal reaches only this
 * process, which stops everything in order. `env` is the whole environment; by default that of this process.
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

/** Signals a child and all its children. It is no error if they have ended already. */
function signalTree(child: ExecaChildProcess, signal: NodeJS.Signals): void {
	if (child.pid === undefined) return;
	try {
		process.kill(-child.pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/** Sends SIGTERM to the program, and after at most `limit` ms SIGKILL to the whole tree. */
export async function stopTree(child: ExecaChildProcess, limit: number): Promise<void> {
	child.kill('SIGTERM', { forceKillAfterTimeout: limit });
	await child;
	signalTree(child, 'SIGKILL');
}

/** Ends a program and all its children at once, as a crash would. */
export async function killTree(child: ExecaChildProcess): Promise<void> {
	signalTree(child, 'SIGKILL');
	await child;
}

/** The error of a command that ended with another code than 0, could not be started or took too long. */
export class CommandError extends Error {
	override readonly name = 'CommandError';

	constructor(
		message: string,
		readonly output: string,
		readonly timedOut: boolean,
	) {
		super(message);
	}
}

/** `env` is added to this process's environment; after `limit` ms, the command is killed; `log` gets its output. */
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
	// The variables that `npm run` sets for this project would confuse another npm that works in another folder.
	const ours = /^npm_(package_|lifecycle_|command$|config_local_prefix$)/;
	const child = spawnTree(command, args, {
		cwd,
		env: {
			...pickBy(process.env, (_, name) => !ours.test(name)),
			// npm and its children must end even if this process is killed.
			NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(END_WITH_PARENT)}`,
			...env,
		},
		stdin: 'ignore',
		buffer: true,
		stripFinalNewline: false,
		all: true,
	});
	if (log) child.all?.pipe(createWriteStream(log, { flags: 'a' }));
	// Not execa's own limit: it leaves the command's children, which may run on and keep its output open.
	let timedOut = false;
	const killing = setTimeout(() => {
		timedOut = child.exitCode === null && child.signalCode === null;
		signalTree(child, 'SIGKILL');
	}, limit);
	const result = (await child) as Awaited<typeof child> & Partial<ExecaError>;
	clearTimeout(killing);
	signalTree(child, 'SIGKILL');
	if (!result.failed) return result.stdout;
	const message = timedOut
		? `Command timed out after ${limit} milliseconds: ${result.command}`
		: (result.shortMessage ?? command);
	throw new CommandError(message, result.all ?? '', timedOut);
}

const host = '127.0.0.1';

/** A TCP port of 127.0.0.1 on which nobody listens; a new one at each call. */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = await listenOn(0);
		if (given.has(port)) continue;
		given.add(port);
		return port;
	}
}

/** Ports that this process has been given: the system may offer one again before a program listens there. */
const given = new Set<number>();

/** Listens on a port for a moment; on any, for 0. @returns the port @throws Error if it cannot be used */
async function listenOn(port: number): Promise<number> {
	const server = createServer().listen({ host, port });
	await once(server, 'listening');
	const { port: found } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return found;
}

/** Reads a port from the command line, and checks that it is free. @throws UserError naming the flag */
export async function readPort(
	value: string | undefined,
	flag: string,
	otherwise: number,
): Promise<number> {
	const port = Number(value ?? otherwise);
	const free = await listenOn(port).catch(() => undefined);
	if (free === port) return port;
	throw new UserError(
		`Port ${value ?? otherwise} cannot be used: stop the program that uses it, or choose another port with ${flag} <number>.`,
	);
}
