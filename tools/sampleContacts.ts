import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Sandbox } from '../sandbox';
import { createTable, findTable } from './n8n/dataTables';
import type { N8nClient } from './n8n/client';
import { PROJECT_FOLDER } from './n8n/package';

/** A line of `examples/contacts.csv`. The numbers belong to ranges that are set aside for fiction. */
export interface SampleContact {
	name: string;
	/** E.164. */
	phone: string;
}

/** The segment that the survey of `examples/` is sent to. */
const SAMPLE_SEGMENT = 'new-customers';

/** The data table of n8n's that the welcome campaign of `examples/` is sent to. */
export const SAMPLE_SHEET = 'New customers';

/** The people of `examples/contacts.csv`. */
export function readSampleContacts(): SampleContact[] {
	const file = path.join(PROJECT_FOLDER, 'examples', 'contacts.csv');
	return parse(readFileSync(file), { columns: true, skip_empty_lines: true, trim: true });
}

/** Makes them contacts of the sandbox, now and after each of its resets. */
export function addSampleContacts(sandbox: Sandbox): void {
	const add = () => {
		for (const contact of readSampleContacts())
			sandbox.state.contacts.create({ ...contact, segments: [SAMPLE_SEGMENT] });
	};
	add();
	sandbox.changes.on('reset', add);
}

/** Makes them rows of a data table in n8n; one that is there already is left as it is. */
export async function addSampleSheet(client: N8nClient): Promise<void> {
	if (await findTable(client, SAMPLE_SHEET)) return;
	await createTable(
		client,
		SAMPLE_SHEET,
		['name', 'phone', 'status'],
		readSampleContacts().map((contact) => ({ ...contact })),
	);
}
