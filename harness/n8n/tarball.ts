/** Tarballs of packages. */
import { gunzipSync, gzipSync } from 'node:zlib';
import sortBy from 'lodash/sortBy';

const blockSize = 512;
const maxNameLength = 100;

/** The files of a tar archive: each its header and its content, filled up to whole blocks. */
function readEntries(archive: Buffer): Buffer[] {
	const entries: Buffer[] = [];
	for (let start = 0; archive[start] !== 0; ) {
		// Another type is a header for the next file, e.g. for a long path, and must stay with it.
		const type = archive.toString('latin1', start + 156, start + 157);
		if (type !== '0') throw new Error(`The tarball has an entry of type "${type}".`);
		const size = Number.parseInt(archive.toString('latin1', start + 124, start + 136), 8);
		const end = start + blockSize * (1 + Math.ceil(size / blockSize));
		entries.push(archive.subarray(start, end));
		start = end;
	}
	return entries;
}

/**
 * Orders the files of a tarball by their paths. npm orders them by base name, but files of one folder have most words
 * in common, and gzip finds only what was repeated within 32 kB. @throws Error if it contains anything but files
 */
export function sortTarball(tarball: Buffer): Buffer {
	const entries = readEntries(gunzipSync(tarball));
	const sorted = sortBy(entries, (entry) => entry.toString('latin1', 0, maxNameLength));
	const end = Buffer.alloc(2 * blockSize);
	const packed = gzipSync(Buffer.concat([...sorted, end]), { level: 9 });
	packed[9] = 255; // like npm, does not say on which system it was packed
	return packed;
}
