/** The searchable lists of records. A service may have a million contacts, so no search reads them all. */
import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { uniq, uniqBy } from 'lodash';

import { type Endpoint, endpoints, recordName } from '../api/endpoints';
import {
	type ServiceRecord,
	fieldNames,
	identify,
	isRecord,
	readSegments,
	readWebhookUrl,
} from '../api/read';
import { readTemplates } from '../api/templates';
import { asText } from '../operations/asText';
import { InputError } from '../operations/inputError';
import { connect } from '../transport/connect';
import { readRecords } from '../transport/lists';
import { withoutSecrets } from '../transport/secrets';
import { includes, label, listSearch, pageOf } from './search';
import { statusOf } from './templates';

/** How many records are searched for what was typed; twice as many when nothing was found, or when the user scrolls on. */
const firstLook = 500;
/** After as many the list says that there is more, found or not. */
const maxAtOnce = 8_000;
/** Among how many contacts segments are looked for; one that nobody of them is in can be entered by name. */
const contactsWithSegments = 2_000;

interface Choice {
	name: string;
	/** Undefined if no ID was found in the record. */
	value?: string;
}

/** A list of records. The token is the number of records that were searched already. */
function picker(
	endpoint: Endpoint,
	toChoices: (record: ServiceRecord, id: string | undefined) => Choice | Choice[],
) {
	const kind = recordName(endpoint);
	return listSearch(async (context, filter, token): Promise<INodeListSearchResult> => {
		const client = await connect(context);
		for (let searched = Number(token ?? 0); ; ) {
			const limit = Math.max(firstLook, 2 * searched);
			const { records, gap } = await readRecords(client, endpoint, { limit });
			const idOf = identify(records, kind);
			const choices = records.slice(searched).flatMap((one) => toChoices(one, idOf(one)));
			if (choices.length > 0 && choices.every(({ value }) => !value))
				throw new InputError(
					`The service lists ${kind}s, but no ID was found in them`,
					`The first one has the fields ${fieldNames(records[0])}. Choose 'By ID' and enter the ID.`,
				);
			const results = toEntries(choices, filter);
			if (gap && results.length === 0) throw gap;
			if (records.length < limit) return { results };
			if (results.length > 0 || limit >= maxAtOnce)
				return { results, paginationToken: String(limit) };
			searched = limit;
		}
	});
}

/** The choices that fit to what was typed, those without a name by their ID. */
function toEntries(choices: Choice[], filter: string): INodeListSearchItems[] {
	const entries = choices.flatMap(({ name, value }) =>
		value && includes(name || value, filter) ? { name: name || value, value } : [],
	);
	return uniqBy(entries, 'value');
}

async function segmentsOf(context: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	const { records } = await readRecords(await connect(context), endpoints.listContacts, {
		limit: contactsWithSegments,
	});
	const names = uniq(records.flatMap(readSegments));
	return names.sort((a, b) => a.localeCompare(b)).map((name) => ({ name, value: name }));
}

/** The methods of these lists, as resource locators name them. */
export const recordPickers = {
	searchContacts: picker(endpoints.listContacts, (contact, value) => ({
		name: label(asText(contact.name), asText(contact.phone)),
		value,
	})),
	searchSegments: listSearch(async (context, filter, token) =>
		pageOf(await segmentsOf(context), filter, token),
	),
	searchTemplates: picker(endpoints.listTemplates, (record) =>
		readTemplates(record).map((template) => ({
			name: label(template.name, template.language, statusOf(template)),
			value: template.id,
		})),
	),
	searchWebhooks: picker(endpoints.listWebhooks, (webhook, value) => {
		const url = readWebhookUrl(webhook);
		const { events } = webhook;
		const named = Array.isArray(events) ? events.filter((event) => !isRecord(event)) : [];
		// the name is saved with the workflow
		const name = label(url && withoutSecrets(url), named.join(', '));
		return { name, value };
	}),
};
