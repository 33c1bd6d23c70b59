/** The searchable lists of templates and their languages. */
import type { ILoadOptionsFunctions, INodeListSearchItems } from 'n8n-workflow';
import { compact, groupBy, sortBy, uniq, uniqBy } from 'lodash';

import type { Template } from '../api/templates';
import { InputError } from '../operations/inputError';
import { connect } from '../transport/connect';
import { listTemplates } from '../transport/templateList';
import { chosen, label, listSearch, pageOf } from './search';

/** More languages than these are only counted. */
const maxLanguages = 3;

/** A list of templates, loaded again when it is opened; those that cannot be sent come last. A list with a gap says so if nothing is found. */
function templatePicker(
	toEntries: (context: ILoadOptionsFunctions, templates: Template[]) => INodeListSearchItems[],
) {
	return listSearch(async (context, filter, token) => {
		const isOpening = filter === '' && token === undefined;
		const { records, gap } = await listTemplates(await connect(context), isOpening);
		const sorted = sortBy(records, 'isRefused', ({ name }) => name.toLowerCase(), 'language');
		const page = pageOf(toEntries(context, sorted), filter, token);
		if (gap && page.results.length === 0) throw gap;
		return page;
	});
}

/** What the user reads of the approval. */
export function statusOf({ isRefused, status }: Template): string | undefined {
	return isRefused ? `⚠ not approved (${status})` : status?.toLowerCase();
}

/** A template for the list, whose language is chosen later. */
function toName(versions: Template[]): INodeListSearchItems {
	const [{ name }] = versions;
	const languages = uniq(compact(versions.map(({ language }) => language)));
	const isMany = languages.length > maxLanguages;
	const shown = isMany ? `${languages.length} languages` : languages.join(', ');
	return { name: label(name, shown, statusOf(versions[0])), value: name };
}

function languagesOf(
	context: ILoadOptionsFunctions,
	templates: Template[],
): INodeListSearchItems[] {
	const name = chosen(context, 'template');
	if (name === '')
		throw new InputError('Choose a template first', 'Then its languages are offered here.');
	const mine = templates.filter((template) => name === undefined || template.name === name);
	const entries = mine.flatMap((template) => {
		const { language: value = '', isRefused } = template;
		const status = isRefused ? statusOf(template) : undefined;
		return value ? { name: label(languageName(value), value, status), value } : [];
	});
	if (entries.length > 0) return uniqBy(entries, 'value');
	const isUnknown = name !== undefined && mine.length === 0;
	throw new InputError(
		isUnknown ? `The service has no template "${name}"` : 'The service does not show languages',
		"Choose 'By Code' here and enter the language, e.g. en_US.",
	);
}

/** E.g. "German (Germany)" for de_DE; undefined for an unknown code. */
function languageName(code: string): string | undefined {
	const options = { type: 'language', fallback: 'none', languageDisplay: 'standard' } as const;
	try {
		return new Intl.DisplayNames(['en'], options).of(code.replaceAll('_', '-'));
	} catch {
		return undefined;
	}
}

/** The methods of these lists, as resource locators name them. */
export const templatePickers = {
	searchTemplateNames: templatePicker((_, templates) =>
		Object.values(groupBy(templates, 'name')).map(toName),
	),
	searchTemplateLanguages: templatePicker(languagesOf),
};
