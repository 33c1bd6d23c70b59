/** The searchable lists of records and templates. */
import {
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type INodeListSearchResult,
	NodeApiError,
} from 'n8n-workflow';
import { attempt, compact, get, groupBy, isError, memoize, sortBy, uniq, uniqBy } from 'lodash';

import { type Endpoint, endpoints, recordName } from '../api/endpoints';
import { type ServiceRecord, isRecord, quoted, textOrJson } from '../jsonValues';
import { fieldNames, readId, plainName, readWebhookUrl } from '../reading/readResponse';
import { type Template, readTemplates } from '../reading/readTemplates';
import { defaultCountries } from '../operations/phoneFields';
import { InputError, asFailure } from '../transport/errors';
import { connect } from '../transport/connect';
import { readRecords } from '../transport/lists';
import { withoutSecrets } from '../transport/secrets';
import { listTemplates } from '../transport/templateList';

/** How many records are searched first. If nothing is found, or when the user scrolls, twice as many are searched. */
const firstLook = 500;
/** After this many records, the search stops until the user scrolls. */
const maxAtOnce = 8_000;
/** How many languages of a template are shown; the others are counted. */
const maxLanguages = 3;
const languageNames = memoize(
	() =>
		new Intl.DisplayNames(['en'], {
			type: 'language',
			fallback: 'none',
			languageDisplay: 'standard',
		}),
);

/** A list as n8n calls it. @param search gets the typed text, and the `paginationToken` of the page before */
function listSearch(
	search: (
		context: ILoadOptionsFunctions,
		filter: string,
		token?: string,
	) => Promise<INodeListSearchResult>,
) {
	return async function (this: ILoadOptionsFunctions, filter = '', token?: string) {
		try {
			return await search(this, filter.trim(), token);
		} catch (error) {
			const { message, description = '', statusCode } = asFailure(error);
			// For other errors, n8n's editor shows no description. It links to the credential only for 401 and 403.
			const httpCode = statusCode?.toString();
			throw new NodeApiError(this.getNode(), { message }, { message, description, httpCode });
		}
	};
}

/** The entries that contain the typed text, ignoring case, spaces and punctuation; "0170 123" matches +49170123… */
function matching(entries: INodeListSearchItems[], filter: string): INodeListSearchItems[] {
	const text = plainName(filter).replace(/^0+/, '');
	if (text === '') return entries;
	return entries.filter(({ name }) => plainName(name).includes(text));
}

/** A label from the known parts, e.g. `Ada Lovelace · +15551000000`. */
function label(...parts: Array<string | undefined>): string {
	return compact(parts).join(' · ');
}

/** What was chosen or typed in a field of the open node; undefined for an expression that cannot be evaluated yet. */
export function chosen(context: ILoadOptionsFunctions, name: string): string | undefined {
	const value = context.getCurrentNodeParameter(name) ?? '';
	const inner: unknown = isRecord(value) ? get(value, 'value', '') : value;
	if (inner === null || inner === undefined) return undefined;
	const text = textOrJson(inner).trim();
	return text.startsWith('=') ? undefined : text;
}

/** A record as an entry; without a value if no ID was found in it. */
type Choice = Partial<Record<'name' | 'value', string>>;

/** A list of records. The token is the number of records searched so far. */
function recordPicker(
	endpoint: Endpoint,
	toChoices: (record: ServiceRecord, id: string | undefined) => Choice | Choice[],
) {
	const kind = recordName(endpoint);
	const toEntries = (records: ServiceRecord[]): INodeListSearchItems[] => {
		const choices = records.flatMap((one) => toChoices(one, readId(one, kind)));
		const entries = choices.flatMap(({ name, value }) =>
			value ? { name: name || value, value } : [],
		);
		if (choices.length === 0 || entries.length > 0) return uniqBy(entries, 'value');
		throw new InputError(
			`The node found no ID in the ${kind}s of the service`,
			`The first ${kind} has the fields ${fieldNames(records[0])}. Choose 'By ID' and enter the ID.`,
		);
	};
	return listSearch(async (context, filter, token) => {
		const client = await connect(context);
		for (let searched = Number(token ?? 0); ; ) {
			const limit = Math.max(firstLook, 2 * searched);
			const { records, shortfall } = await readRecords(client, endpoint, { limit });
			const results = matching(toEntries(records.slice(searched)), filter);
			if (shortfall && results.length === 0) throw shortfall;
			if (records.length < limit) return { results };
			if (results.length > 0 || limit >= maxAtOnce)
				return { results, paginationToken: String(limit) };
			searched = limit;
		}
	});
}

/** A list of templates, loaded again when it is opened. Those that are not approved come last. */
function templatePicker(
	toEntries: (
		context: ILoadOptionsFunctions,
		templates: Template[],
		shortfall?: Error,
	) => INodeListSearchItems[],
) {
	return listSearch(async (context, filter) => {
		const { records, shortfall } = await listTemplates(await connect(context), filter === '');
		const sorted = sortBy(records, 'isRefused', ({ name }) => name.toLowerCase(), 'language');
		const results = matching(toEntries(context, sorted, shortfall), filter);
		if (shortfall && results.length === 0) throw shortfall;
		return { results };
	});
}

function statusOf({ isRefused, status }: Template): string | undefined {
	return isRefused ? `⚠ not approved (${status})` : status?.toLowerCase();
}

function toName(versions: Template[]): INodeListSearchItems {
	const [{ name }] = versions;
	const languages = uniq(compact(versions.map(({ language }) => language)));
	const isMany = languages.length > maxLanguages;
	const shown = isMany ? `${languages.length} languages` : languages.join(', ');
	return { name: label(name, shown, statusOf(versions[0])), value: name };
}

/** @param name the chosen template; undefined if that is not known yet */
function languagesOf(
	name: string | undefined,
	templates: Template[],
	shortfall?: Error,
): INodeListSearchItems[] {
	if (name === '')
		throw new InputError('Choose a template first', 'Its languages are then listed here.');
	const versions = templates.filter((template) => name === undefined || template.name === name);
	const entries = versions.flatMap((template) => {
		const { language: value = '', isRefused } = template;
		const status = isRefused ? statusOf(template) : undefined;
		return value ? { name: label(languageName(value), value, status), value } : [];
	});
	if (entries.length > 0) return uniqBy(entries, 'value');
	const isUnknown = name !== undefined && versions.length === 0;
	if (isUnknown && shortfall) throw shortfall;
	if (isUnknown)
		throw new InputError(
			`The service has no template "${quoted(name)}"`,
			'Choose the template again.',
		);
	throw new InputError(
		"The service's list of templates shows no languages",
		"Choose 'By Code' here and enter the language, e.g. en_US.",
	);
}

/** E.g. "German (Germany)" for de_DE; undefined for an unknown code. */
function languageName(code: string): string | undefined {
	const name = attempt(() => languageNames().of(code.replaceAll('_', '-')));
	return isError(name) ? undefined : name;
}

/** The methods of these lists, as resource locators name them. */
export const pickers = {
	searchContacts: recordPicker(endpoints.listContacts, (contact, value) => ({
		name: label(textOrJson(contact.name), textOrJson(contact.phone)),
		value,
	})),
	searchCountries: listSearch(async (_, filter) => ({
		results: matching(defaultCountries, filter),
	})),
	searchFallbackLanguages: templatePicker((context, templates, shortfall) =>
		languagesOf(chosen(context, 'fallbackTemplate'), templates, shortfall),
	),
	searchTemplateLanguages: templatePicker((context, templates, shortfall) =>
		languagesOf(chosen(context, 'template'), templates, shortfall),
	),
	searchTemplateNames: templatePicker((_, templates) =>
		Object.values(groupBy(templates, 'name')).map(toName),
	),
	searchTemplates: recordPicker(endpoints.listTemplates, (record) =>
		readTemplates(record).map((template) => ({
			name: label(template.name, template.language, statusOf(template)),
			value: template.id,
		})),
	),
	searchWebhooks: recordPicker(endpoints.listWebhooks, (webhook, value) => {
		const url = readWebhookUrl(webhook);
		const { events } = webhook;
		const named = Array.isArray(events) ? events.filter((event) => !isRecord(event)) : [];
		// The name is saved with the workflow.
		return { name: label(url && withoutSecrets(url), named.join(', ')), value };
	}),
};
