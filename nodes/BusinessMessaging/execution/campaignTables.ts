/** n8n's data tables of the project, as the operations of the resource Campaign use them. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { CampaignTables, Table } from '../campaign/tables';
import { textOrJson } from '../jsonValues';
import { credentialType } from '../transport/connect';
import { readServiceConfig } from '../transport/serviceConfig';
import { accountOf, isSameAccount } from './account';
import { type DataTable, type TableDescription, openDataTable } from './dataTable';
import { campaignPattern, logTable } from './logTable';
import { optOutTable } from './optOuts';

/** The tables for one execution. */
export async function openTables(context: IExecuteFunctions): Promise<CampaignTables> {
	const { name: operation } = context.getNode();
	const open = async (description: TableDescription, whenMissing: 'create' | 'return') => {
		const use = { needs: `"${operation}"`, otherwise: 'Nothing was recorded or read.' };
		const table = await openDataTable(context, description, use, whenMissing);
		return table && toTable(table, description.name);
	};
	const account = await context
		.getCredentials(credentialType)
		.then(async (values) => await accountOf(readServiceConfig(values)))
		.catch(() => '');
	return {
		account,
		isOwn: (row) => isSameAccount(account, textOrJson(row.account)),
		log: async () => await open(logTable, 'return'),
		optOuts: async (whenMissing) => await open(optOutTable, whenMissing),
		workflow: context.getWorkflow().name ?? '',
		now: Date.now,
		pause: sleep,
		hints: new Set(),
	};
}

function toTable(table: DataTable, name: string): Table {
	return Object.assign(table, {
		name,
		readNewest: (from: number) => table.read([], from),
		readCampaign: (campaign: string) =>
			table.read([{ column: 'campaign', is: 'like', value: campaignPattern(campaign) }], 0),
	});
}
