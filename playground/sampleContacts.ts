import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Sandbox } from '../sandbox';
import { PROJECT_FOLDER } from './pack';

/** A line of `examples/contacts.csv`. The numbers belong to ranges that are set aside for fiction. */
export interface SampleContact {
	name: string;
	/** E.164. */
	phone: string;
}

/** The segment that the welcome campaign of `examples/` is sent to. */
export const SAMPLE_SEGMENT = 'new-customers';

/** The people of `examples/contacts.csv`. */
export function readSampleContacts(): SampleContact[] {
	const file = path.join(PROJECT_FOLDER, 'examples', 'contacts.csv');
	return parse(readFileSync(file), { columns: true, skip_empty_lines: true, trim: true });
}

/** Makes them contacts of the sandbox, now and after each of its resets. */
export function addSampleContacts(sandbox: Sandbox): void {
	const add = () => {
		for (const contact of readSampleContacts()) sandbox.state.contacts.create({ ...contact, segments: [SAMPLE_SEGMENT] });
	};
	add();
	sandbox.changes.on('reset', add);
}
