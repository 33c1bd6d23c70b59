import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A module that ends a Node.js program when its parent process is gone, even by SIGKILL; for `--require`. */
export const END_WITH_PARENT = path.join(__dirname, 'endWithParent.cjs');

/** Children whose groups must not outlive this process. */
const alive = new Set<ChildProcess>();

process.on('exit', () => {
	for (const child of alive) signalTree(child, 'SIGKILL');
});

/**
 * Starts a program in a process group of its own, so that it can be ended with all its children, and so that Ctrl-C
 * in the terminal reaches only this process, which then stops things in order.
 */
export function spawnTree(command: string, args: string[], options: SpawnOptions): ChildProcess {
	const child = spawn(command, args, { ...options, detached: true });
	alive.add(child);
	child.once('exit', () => alive.delete(child));
	child.once('error', () => alive.delete(child));
	return child;
}

/** Sends a signal to a child started by {@link spawnTree} and to all its children. A tree that is gone is no error. */
function signalTree(child: ChildProcess, signal: NodeJS.Signals): void {
	if (child.pid === undefined) return;
	try {
		process.kill(-child.pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/**
 * Ends a child started by {@link spawnTree}: SIGTERM to the program itself, then SIGKILL to the whole tree.
 * @param limit milliseconds the program may take to end by itself
 */
export async function stopTree(child: ChildProcess, limit: number): Promise<void> {
	if (isRunning(child)) {
		const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
		child.kill('SIGTERM');
		const timeout = new AbortController();
		await Promise.race([
			exited,
			delay(limit, undefined, { signal: timeout.signal }).catch(() => undefined),
		]);
		timeout.abort();
	}
	await killTree(child);
}

/** Ends a child started by {@link spawnTree} and all its children at once, as a crash would. */
export async function killTree(child: ChildProcess): Promise<void> {
	const exited = isRunning(child)
		? new Promise<void>((resolve) => child.once('exit', () => resolve()))
		: undefined;
	signalTree(child, 'SIGKILL');
	await exited;
}

/** Whether the program itself has not ended yet. */
export function isRunning(child: ChildProcess): boolean {
	return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
