/** Records STOP and START in the data table of people who have opted out. */
import { pick } from 'lodash';

import { quoted, textOrJson } from '../jsonValues';
import { withLock } from '../mutex';
import { lastDigits } from '../phone/compare';
import { readEntry } from '../phone/entry';
import type { CampaignEvent } from './events';
import type { CampaignTables, Table } from './tables';

/** @returns for each STOP and START, whether it has changed the table @throws Error */
export async function recordOptOuts(
	tables: CampaignTables,
	events: CampaignEvent[],
): Promise<Map<CampaignEvent, boolean>> {
	const changes = new Map<CampaignEvent, boolean>();
	const own = events.filter(({ kind }) => kind === 'optedOut' || kind === 'optedIn');
	if (own.length === 0) return changes;
	const hasStop = own.some(({ kind }) => kind === 'optedOut');
	const table = await tables.optOuts(hasStop ? 'create' : 'return');
	// Two runs of this process do not both add a person; in several processes, a second row does no harm.
	if (table)
		await withLock(`opt-outs ${table.id}`, async () => {
			for (const event of own) changes.set(event, await change(tables, table, event));
		});
	return changes;
}

async function change(
	{ now, workflow, hints }: CampaignTables,
	table: Table,
	event: CampaignEvent,
): Promise<boolean> {
	const { kind, phone, words } = event;
	if (phone === '') return false;
	const ids: number[] = [];
	let other: string | undefined;
	for await (const rows of table.readAll(0))
		for (const row of rows) {
			const entry = textOrJson(row.phone).trim();
			const whose = whoseIs(entry, event);
			if (whose === 'theirs') ids.push(Number(row.id));
			if (whose === 'unclear') other = entry;
		}
	if (kind === 'optedIn') {
		if (ids.length > 0) await table.delete(ids);
		if (other !== undefined)
			hints.add(
				`The data table "${table.name}" still leaves out ${phone}, because of the entry "${quoted(other)}". If it means only this person, delete it.`,
			);
		return ids.length > 0;
	}
	if (ids.length > 0) return false;
	const row = { phone, since: new Date(now()).toISOString(), words, workflow };
	// People may have made the table themselves, with fewer columns.
	await table.insert([pick(row, table.columns)]);
	return true;
}

/** Whose an entry is. It is unclear if it means several people, or has a number without a country code. */
function whoseIs(entry: string, { person, phone }: CampaignEvent): 'theirs' | 'unclear' | 'others' {
	if (person === '') return entry === phone ? 'theirs' : 'others';
	const { people, digits } = readEntry(entry);
	if (people.length === 1 && people[0] === person) return 'theirs';
	return people.includes(person) || digits.includes(lastDigits(person)) ? 'unclear' : 'others';
}
