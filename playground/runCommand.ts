import { createWriteStream, type WriteStream } from 'node:fs';
import { END_WITH_PARENT, isRunning, killTree, spawnTree } from './processes';

/** Where and how a command runs. */
export interface CommandOptions {
	cwd?: string;
	/** Added to this process's environment. */
	env?: NodeJS.ProcessEnv;
	/** Milliseconds after which the command and its children are killed. */
	limit: number;
	/** File that receives everything the command prints. */
	log?: string;
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

/**
 * Runs a command to its end and returns what it printed on stdout.
 * @throws CommandError
 */
export async function runCommand(
	command: string,
	args: string[],
	options: CommandOptions,
): Promise<string> {
	const log = options.log ? createWriteStream(options.log, { flags: 'a' }) : undefined;
	const child = spawnTree(command, args, {
		cwd: options.cwd,
		env: {
			...withoutNpmScript(process.env),
			NODE_OPTIONS: endingWithParent(process.env.NODE_OPTIONS),
			...options.env,
		},
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const stdout = collect(child.stdout, log);
	const stderr = collect(child.stderr, log);
	let timedOut = false;
	const timer = setTimeout(() => {
		timedOut = isRunning(child);
		void killTree(child);
	}, options.limit);
	const failure = await new Promise<string | undefined>((resolve) => {
		child.once('error', (error) => resolve(error.message));
		child.once('close', (code, signal) =>
			resolve(code === 0 ? undefined : `ended with ${signal ?? code}`),
		);
	});
	clearTimeout(timer);
	log?.end();
	if (failure === undefined) return stdout();
	const reason = timedOut ? `did not finish within ${Math.round(options.limit / 1000)} s` : failure;
	throw new CommandError(
		`${command} ${args[0] ?? ''}: ${reason}`,
		(stdout() + stderr()).slice(-20_000),
		timedOut,
	);
}

function collect(stream: NodeJS.ReadableStream | null, log?: WriteStream): () => string {
	const chunks: string[] = [];
	stream?.setEncoding('utf8');
	stream?.on('data', (chunk: string) => {
		chunks.push(chunk);
		log?.write(chunk);
	});
	return () => chunks.join('');
}

/** npm and its kin shall not go on working when this process was killed. */
function endingWithParent(nodeOptions = ''): string {
	return `${nodeOptions} --require ${JSON.stringify(END_WITH_PARENT)}`.trim();
}

/** What `npm run` tells its script about this project would confuse another npm that works in another folder. */
function withoutNpmScript(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const ours = /^npm_(package_|lifecycle_|command$|config_local_prefix$)/;
	return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}
