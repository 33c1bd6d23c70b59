/** The searchable lists of contacts, segments and webhooks. A service may have a million contacts, so no search reads them all. */
import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { uniq, uniqBy } from 'lodash';

import { type Endpoint, endpoints } from '../api/endpoints';
import { readSegments } from '../api/contacts';
import { type ServiceRecord, isRecord, readId, readWebhookUrl } from '../api/read';
import { connect } from '../transport/connect';
import { listRecords } from '../transport/pages';
import { withoutSecrets } from '../transport/serviceConfig';
import { includes, label, listSearch, pageOf } from './search';

/** How many records are searched for what was typed; twice as many when nothing was found, or when the user scrolls on. */
const firstLook = 500;
/** After as many the list says that there is more, found or not. */
const mostAtOnce = 8_000;
/** Among how many contacts segments are looked for; one that nobody of them is in can be entered by name. */
const contactsWithSegments = 2_000;

interface Choice extends INodeListSearchItems {
	value: string;
	/** A phone number that is searched, too. */
	also?: string;
}

/** A list of records. The token is the number of records that were searched already. */
function picker(endpoint: Endpoint, toChoice: (record: ServiceRecord) => Choice | undefined) {
	return listSearch(async (context, filter, token): Promise<INodeListSearchResult> => {
		const client = await connect(context);
		const isWanted = ({ name, also }: Choice) =>
			includes(name, filter) || (also !== undefined && isPartOf(filter, also));
		for (let searched = Number(token ?? 0); ; ) {
			const limit = Math.max(firstLook, 2 * searched);
			const records = await listRecords(client, endpoint, { limit });
			const choices = records.slice(searched).flatMap((record) => toChoice(record) ?? []);
			const results = uniqBy(choices.filter(isWanted), 'value').map(({ name, value }) => ({
				name,
				value,
			}));
			if (records.length < limit) return { results };
			if (results.length > 0 || limit >= mostAtOnce)
				return { results, paginationToken: String(limit) };
			searched = limit;
		}
	});
}

/** Whether what was typed is a part of a phone number, however it is written: "0170 123" is one of +49170123… */
function isPartOf(filter: string, phone: string): boolean {
	const digits = filter.replace(/\D/g, '').replace(/^0+/, '');
	return (
		digits !== '' && /^[\d\s+().-]+$/.test(filter) && phone.replace(/\D/g, '').includes(digits)
	);
}

async function segmentsOf(context: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	const contacts = await listRecords(await connect(context), endpoints.listContacts, {
		limit: contactsWithSegments,
	});
	const names = uniq(contacts.flatMap(readSegments));
	return names.sort((a, b) => a.localeCompare(b)).map((name) => ({ name, value: name }));
}

/** The methods of these lists, as resource locators name them. */
export const recordPickers = {
	searchContacts: picker(endpoints.listContacts, (contact) => {
		const value = readId(contact);
		const phone = typeof contact.phone === 'string' ? contact.phone : undefined;
		return value === undefined
			? undefined
			: { name: label(contact.name, phone) || value, value, also: phone };
	}),
	searchSegments: listSearch(async (context, filter, token) =>
		pageOf(await segmentsOf(context), filter, token),
	),
	searchWebhooks: picker(endpoints.listWebhooks, (webhook) => {
		const value = readId(webhook);
		const { events } = webhook;
		const shown = Array.isArray(events)
			? events.filter((event) => !isRecord(event)).join(', ')
			: undefined;
		const url = readWebhookUrl(webhook);
		return value === undefined
			? undefined
			: { name: label(url && withoutSecrets(url), shown) || value, value }; // the name is saved with the workflow
	}),
};
