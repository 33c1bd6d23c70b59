/** The sources of a folder of the nodes, and random parts of them for an estimate that takes minutes instead of hours. */
import { createHash } from 'node:crypto';

import { filesBelow, readText } from '../engine/files';

const nodes = 'nodes/BusinessMessaging/';
/** Lines of a part. Long enough for most statements: Stryker leaves out a mutant that is only partly inside. */
const partLength = 12;

/** The files of a folder, from the root. `shared` has those that are in no folder. Tables are data. */
export function sourcesOf(folder: string): string[] {
	const isOf = (file: string) => folder !== 'shared' || !file.slice(nodes.length).includes('/');
	const files = filesBelow(folder === 'shared' ? nodes : nodes + folder);
	return files.filter((file) => /(?<!Table)\.ts$/.test(file) && isOf(file));
}

/**
 * Parts of files for Stryker's option `mutate`, e.g. `nodes/…/phone/compare.ts:13-24`; `share` is from 0 to 1. A
 * `sample` always has the same parts: once tests were written for it, only another one shows how good they are.
 */
export function sampleOf(files: string[], share: number, sample: string): string[] {
	return files.flatMap((file) => {
		const lines = readText(file).split('\n').length;
		const parts = Array.from({ length: Math.ceil(lines / partLength) }, (_, part) => {
			const first = part * partLength + 1;
			return `${file}:${first}-${first + partLength - 1}`;
		});
		return parts.filter((part) => numberOf(`${sample} ${part}`) < share);
	});
}

/** A number from 0 to 1 that depends on nothing but the text. */
function numberOf(text: string): number {
	return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
