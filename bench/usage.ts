/** CPU time and memory of a process, as Linux reports them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { UserError } from '../harness/cli';
import type { N8nServer } from '../harness/n8n/server';

/** Linux reports CPU time in hundredths of a second on every machine. */
const TICKS_PER_SECOND = 100;

/** @throws UserError when n8n has ended */
export function pidOf({ pid, logFile }: N8nServer): number {
	if (pid === undefined) throw new UserError(`n8n has ended (its log: ${logFile}).`);
	return pid;
}

/** CPU time of a process so far, user and kernel, seconds. */
export function cpuSeconds(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	// The second field is the program's name in brackets, which may contain spaces.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Peak resident memory of a process since {@link forgetPeak}, MB. */
export function peakMb(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Resets the peak of a process to its present memory. */
export function forgetPeak(pid: number): void {
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
