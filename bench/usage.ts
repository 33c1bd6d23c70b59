/** What a process has used, as Linux counts it. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second, whatever the machine. */
const TICKS_PER_SECOND = 100;

/** CPU time that a process has used so far, in user mode and in the kernel, seconds. */
export function cpuSeconds(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	// The second field, the program's name, may hold anything; the third one follows its closing bracket.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The most memory that a process has held at once (resident set) since {@link forgetPeak}, MB. */
export function peakMb(pid: number): number {
	return statusMb(pid, 'VmHWM');
}

/** The memory that a process holds now (resident set), MB. */
export function residentMb(pid: number): number {
	return statusMb(pid, 'VmRSS');
}

function statusMb(pid: number, field: string): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
}

/** Has the process's peak counted anew, from what it holds at the moment. */
export function forgetPeak(pid: number): void {
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
