/** The lists and the form of the editor for templates. */
import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';
import { groupBy, sortBy, uniq, uniqBy } from 'lodash';

import type { Template } from '../api/templates';
import { InputError } from '../operations/inputError';
import { connect } from '../transport/connect';
import { isLanguage, listTemplates } from '../transport/templateList';
import { chosen, label, listSearch, pageOf } from './search';
import { fieldsFor, numberedFields } from './variableFields';

/** How old the list may be while the user types or scrolls, ms. A list that is opened anew is loaded anew. */
const maxAgeMs = 60_000;
/** More languages than these are only counted. */
const mostLanguages = 3;

const ranks: Record<Template['approval'], number> = { approved: 0, unknown: 1, notApproved: 2 };
const approvedFirst = (templates: Template[]) =>
	sortBy(
		templates,
		({ approval }) => ranks[approval],
		({ name }) => name.toLowerCase(),
		'language',
	);

async function load(context: ILoadOptionsFunctions, maxAge: number): Promise<Template[]> {
	return approvedFirst(await listTemplates(await connect(context), maxAge));
}

/** A list of templates: loaded anew when it is opened, and when nothing is found in the one that is kept. */
function templatePicker(
	toEntries: (context: ILoadOptionsFunctions, templates: Template[]) => INodeListSearchItems[],
) {
	return listSearch(async (context, filter, token) => {
		const isOpening = filter === '' && token === undefined;
		const search = async (maxAge: number) =>
			pageOf(toEntries(context, await load(context, maxAge)), filter, token);
		const found = await search(isOpening ? 0 : maxAgeMs);
		return found.results.length === 0 && !isOpening ? await search(0) : found;
	});
}

/** What the user reads of the approval. */
function statusOf({ approval, status }: Template): string | undefined {
	return approval === 'notApproved'
		? `⚠ not approved (${status})`
		: approval === 'approved'
			? 'approved'
			: status;
}

/** A template for the list, whose languages are chosen later. */
function toName(templates: Template[]): INodeListSearchItems {
	const [{ name }] = templates;
	const languages = uniq(templates.flatMap(({ language }) => language ?? []));
	const shown =
		languages.length > mostLanguages ? `${languages.length} languages` : languages.join(', ');
	return { name: label(name, shown, statusOf(templates[0])), value: name };
}

function toLanguage(template: Template): INodeListSearchItems {
	const { language = '', approval } = template;
	return {
		name: label(
			languageName(language),
			language,
			approval === 'approved' ? undefined : statusOf(template),
		),
		value: language,
	};
}

/** E.g. "German (Germany)" for de_DE; nothing for a code that is none. */
function languageName(code: string): string | undefined {
	try {
		const name = new Intl.DisplayNames(['en'], {
			type: 'language',
			languageDisplay: 'standard',
		}).of(code.replaceAll('_', '-'));
		return name?.toLowerCase() === code.toLowerCase().replaceAll('_', '-') ? undefined : name;
	} catch {
		return undefined;
	}
}

function languagesOf(
	context: ILoadOptionsFunctions,
	templates: Template[],
): INodeListSearchItems[] {
	const name = chosen(context, 'template');
	if (name === '')
		throw new InputError('Choose a template first', 'Its languages are offered here then.');
	const mine =
		name === undefined ? templates : templates.filter((template) => template.name === name);
	if (mine.length === 0)
		throw new InputError(
			`The service lists no template named "${name}"`,
			'Choose the template again, or choose By Code here and enter the language.',
		);
	return uniqBy(
		mine.filter(({ language }) => language),
		'language',
	).map(toLanguage);
}

function recordsOf(templates: Template[]): INodeListSearchItems[] {
	const entries = templates.flatMap((template) =>
		template.id === undefined
			? []
			: { name: label(template.name, template.language, statusOf(template)), value: template.id },
	);
	return uniqBy(entries, 'value');
}

/** The methods of these lists, as resource locators name them. */
export const templatePickers = {
	searchTemplateNames: templatePicker((_, templates) =>
		Object.values(groupBy(templates, 'name')).map(toName),
	),
	searchTemplateLanguages: templatePicker(languagesOf),
	searchTemplates: templatePicker((_, templates) => recordsOf(templates)),
};

/** One field for each variable of the chosen template. Never fails: without the list, the fields are numbered. */
async function getTemplateVariables(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const name = chosen(this, 'template');
	const language = chosen(this, 'language');
	if (name === '') return notice('Choose a template to see its variables here.');
	if (name === undefined) return { fields: numberedFields() };
	const templates = await load(this, 0).catch(() => undefined);
	if (!templates) return { fields: keptFields(this) ?? numberedFields() };
	const mine = templates.filter((template) => template.name === name);
	if (mine.length === 0)
		return notice(
			`The service lists no template named "${name}". Choose it from the list, or check how it is written. If you are sure that it exists, choose Fill In: As JSON.`,
		);
	const needsNoLanguage = language === undefined || (language === '' && mine.length === 1);
	const template =
		mine.find((candidate) => isLanguage(candidate.language, language ?? '')) ??
		(needsNoLanguage ? mine[0] : undefined);
	if (!template && language === '')
		return notice('Choose a language to see the variables of the template here.');
	if (!template)
		return notice(
			`The template "${name}" does not exist in ${language}, but in ${mine.map((other) => other.language).join(', ')}.`,
		);
	const fields = fieldsFor(template);
	return fields.length > 0
		? { fields }
		: notice('This template has no variables: there is nothing to fill in.');
}

function notice(emptyFieldsNotice: string): ResourceMapperFields {
	return { fields: [], emptyFieldsNotice };
}

/** The fields that the form has already: what is filled in stays when the service cannot be reached for a moment. */
function keptFields(context: ILoadOptionsFunctions): ResourceMapperField[] | undefined {
	const { schema } = (context.getCurrentNodeParameter('variables') ?? {}) as {
		schema?: ResourceMapperField[];
	};
	return schema && schema.length > 0 ? schema : undefined;
}

/** The methods of forms, as resource mappers name them. */
export const resourceMapping = { getTemplateVariables };
