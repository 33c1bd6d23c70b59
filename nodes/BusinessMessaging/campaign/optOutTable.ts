/** Records STOP and START in the data table of people who have opted out. */
import { pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import { withLock } from '../mutex';
import { samePhoneKey } from '../phone/compare';
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
	{ now, workflow }: CampaignTables,
	table: Table,
	{ kind, person, phone, words }: CampaignEvent,
): Promise<boolean> {
	if (phone === '') return false;
	const isTheirs = (row: IDataObject) => {
		const written = textOrJson(row.phone).trim();
		return person === '' ? written === phone : samePhoneKey(written) === person;
	};
	const ids: number[] = [];
	for await (const rows of table.readAll(0))
		ids.push(...rows.filter(isTheirs).map(({ id }) => Number(id)));
	if (kind === 'optedIn') {
		if (ids.length > 0) await table.delete(ids);
		return ids.length > 0;
	}
	if (ids.length > 0) return false;
	const row = { phone, since: new Date(now()).toISOString(), words, workflow };
	// People may have made the table themselves, with fewer columns.
	await table.insert([pick(row, table.columns)]);
	return true;
}
