/** Compares messages with their templates before the first one is sent, as far as the service shows the templates. */
import { attempt, compact, groupBy, isError, map, sortBy, uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { endpoints } from '../../api/endpoints';
import { mapInTurns } from '../../yieldToN8n';
import { quoted } from '../../jsonValues';
import type { Template, TemplateVariable } from '../../reading/readTemplates';
import type { Client } from '../../transport/client';
import { type TemplateList, listTemplates } from '../../transport/templateList';
import type { OperationRequest } from '../operation';
import { InputError, ServiceError, asFailure } from '../../transport/errors';
import { sendMessage } from './sendMessage';
import {
	type GivenVariable,
	type TemplateMessage,
	emptyField,
	gapIn,
	hasNamed,
	nameOf,
	partOf,
	titleOf,
	toComponents,
	withSingleSpaces,
} from './templateVariables';

/** A language code such as en_US or de; some services show the name of the language instead. */
const localeCode = /^[a-z]{2,3}([_-][a-z0-9]+)*$/i;

/**
 * Loads the templates of a run, if a message needs them; again if a message does not fit the cached list, or has named
 * values: these are sent in the order of the template's text, which may have been edited. If the service does not list
 * its templates, a hint says so, and the list is empty and has the error as its shortfall.
 *
 * @throws ServiceError if the list has to wait too long because of a rate limit: later, it may show a mistake
 */
export async function lookUpTemplates(
	client: Client,
	requests: OperationRequest[],
): Promise<TemplateList | undefined> {
	const hasNames = requests.some(({ rules }) => hasNamed(rules?.template?.given));
	const isNeeded = requests.some(
		({ rules: { template, isPreview } = {} }) =>
			template && (template.given || template.language === '' || isPreview),
	);
	if (!isNeeded && !hasNames) return undefined;
	try {
		const known = await listTemplates(client, hasNames);
		if (hasNames) return known;
		const refused = await mapInTurns(requests, (request) => isRefused(request, known));
		return refused.includes(true) ? await listTemplates(client, true) : known;
	} catch (error) {
		const shortfall = asFailure(error);
		if (shortfall.kind === 'rateLimited') throw shortfall;
		client.hints.add(`The messages were not checked against their templates: ${shortfall.message}`);
		return { records: [], isComplete: false, shortfall };
	}
}

/**
 * Compares a message with its template, puts the values in its order, and adds the language if there is only one.
 *
 * @throws InputError for a template that does not exist or is not approved, a missing or surplus value, a missing PDF or
 * language, named values whose order is unknown, or a gap in numbered values if the template's variables are unknown
 */
export function reviewTemplate(message: OperationRequest, list?: TemplateList): OperationRequest {
	const request = withListedLanguage(withLanguage(withoutForm(message), list), list);
	const problem = problemOf(request, list);
	if (problem) throw problem;
	const { name = '', language = '', given = [] } = request.rules?.template ?? {};
	const { variables } = (list && findTemplate(list, name, language)) ?? {};
	if (!variables || given.length === 0) return request;
	const order = variables.map(({ id }) => id);
	const sorted = sortBy(given, (value) => order.indexOf(idFor(value, variables)));
	return { ...request, body: { ...request.body, components: toComponents(sorted) } };
}

/** If the form is empty, and Additional Fields contain the components, the user has written the whole message. */
function withoutForm(request: OperationRequest): OperationRequest {
	const { rules, body } = request;
	if (!rules?.template?.given || rules.template.given.length > 0 || !body?.components)
		return request;
	return { ...request, rules: { ...rules, template: { ...rules.template, given: undefined } } };
}

/** Why the order of a template's named variables is not known; undefined if it is. */
function orderProblem(name: string, language: string, list?: TemplateList): InputError | undefined {
	const template = list && findTemplate(list, name, language);
	const versions = list ? versionsOf(list, name) : [];
	const orders = versions
		.filter((one) => !one.isRefused && one.language === template?.language)
		.map(({ variables = [] }) => map(variables, 'id').join('\n'));
	const reasons = [
		list?.shortfall && !template && `${list.shortfall.message}.`,
		!template && 'The service does not list this template.',
		!template?.variables && 'The service does not show its text.',
		uniq(orders).length > 1 && 'The service shows several texts.',
	];
	const [reason] = compact(reasons);
	if (!reason) return undefined;
	return new InputError(
		`The order of the variables of ${titleFor(name, language, 'the')} is not known`,
		`${reason} Named values must be sent in the order in which they appear in the template's text, but the node could not read this text. Try again later, or use a template with numbered variables.`,
	);
}

function titleFor(name: string, language: string, article = 'The'): string {
	return `${article} template "${name}" (${language})`;
}

/** Whether the review will refuse a message, as far as the list decides that. */
function isRefused(request: OperationRequest, list: TemplateList): boolean {
	const complete = attempt(withLanguage, withoutForm(request), list);
	return isError(complete) || problemOf(complete, list) !== undefined;
}

function withLanguage(request: OperationRequest, list?: TemplateList): OperationRequest {
	const template = request.rules?.template;
	if (!template || template.language !== '') return request;
	const additional = request.body?.language;
	if (typeof additional === 'string') return inLanguage(request, template, additional);
	const versions = list ? versionsOf(list, template.name) : [];
	const [language, ...others] = uniq(compact(versions.map((version) => version.language)));
	if (language && others.length === 0 && !list?.shortfall)
		return inLanguage(request, template, language);
	const missing = versions.length === 0 && list && missingTemplate(list, template.name, '');
	if (missing) throw missing;
	const advice = language
		? `It exists in ${[language, ...others].join(', ')}. Choose one.`
		: 'Choose its language.';
	throw new InputError(`The template "${template.name}" needs a language`, advice);
}

/** Replaces a language by its spelling in the list: a service may know `en_US` and refuse `EN-us`. */
function withListedLanguage(request: OperationRequest, list?: TemplateList): OperationRequest {
	const template = request.rules?.template;
	if (!template || !list) return request;
	const language = findTemplate(list, template.name, template.language)?.language;
	if (!language || language === template.language) return request;
	return inLanguage(request, template, language);
}

function inLanguage(
	request: OperationRequest,
	template: TemplateMessage,
	language: string,
): OperationRequest {
	const rules = { ...request.rules, template: { ...template, language } };
	return { ...request, rules, body: { ...request.body, language } };
}

/** Sends a template message. @throws ServiceError that names the template if the service did not find it */
export async function sendTemplateMessage(
	client: Client,
	request: OperationRequest,
): Promise<IDataObject[]> {
	const { name = '', language } = request.rules?.template ?? {};
	return await sendMessage(client, endpoints.sendTemplate, request).catch((error: unknown) => {
		if (!(error instanceof ServiceError) || error.statusCode !== 404) throw error;
		const { kind, message, statusCode } = error;
		const title = `The service did not find the template "${quoted(name)}"${inWords(language)}, or the recipient`;
		const description = `${message}. Check the phone number. The template may have been renamed or deleted: choose it and its language again. If other operations fail too, check 'Base URL' in the credential.`;
		throw new ServiceError(title, { kind, statusCode, description });
	});
}

/** The error that the service has no template of this name and language; undefined if it has one, or may have one. */
export function missingTemplate(
	list: TemplateList,
	name: string,
	language: string,
): InputError | undefined {
	const { records, isComplete } = list;
	if (!isComplete || records.length === 0 || findTemplate(list, name, language)) return undefined;
	const versions = versionsOf(list, name);
	const languages = versions.map((template) => template.language ?? '');
	if (!languages.every((code) => localeCode.test(code))) return undefined;
	if (languages.length > 0)
		return new InputError(missingTitle(name, language), `It exists in ${languages.join(', ')}.`);
	return new InputError(missingTitle(name), 'Choose the template from the list.');
}

/** The template of a name and language, if possible an approved one; case matters in names, but not in languages. */
export function findTemplate(
	list: TemplateList,
	name: string,
	language: string,
): Template | undefined {
	const plainCode = (code: string) => code.trim().toLowerCase().replaceAll('-', '_');
	const same = versionsOf(list, name).filter(
		(template) => plainCode(template.language ?? language) === plainCode(language),
	);
	const versions = sortBy(same, 'isRefused');
	return versions.find((template) => template.language === language) ?? versions[0];
}

/** The templates of a list by name: each of thousands of items looks for its own. */
const namesIn = new WeakMap<TemplateList, Map<string, Template[]>>();

function versionsOf(list: TemplateList, name: string): Template[] {
	const known = namesIn.get(list) ?? new Map(Object.entries(groupBy(list.records, 'name')));
	namesIn.set(list, known);
	return known.get(name) ?? [];
}

function missingTitle(name: string, language?: string): string {
	return `The service has no template "${quoted(name)}"${inWords(language)}`;
}

function inWords(language?: string): string {
	return language ? ` in ${quoted(language)}` : '';
}

/** What is wrong with a message; undefined if nothing is wrong, as far as the service shows its templates. */
function problemOf({ rules, body }: OperationRequest, list?: TemplateList): InputError | undefined {
	const message = rules?.template;
	if (!message?.given) return undefined;
	const { name, language, given } = message;
	const template = list && findTemplate(list, name, language);
	const missing = list && !template && missingTemplate(list, name, language);
	if (missing) return missing;
	const title = titleFor(name, language);
	if (template?.isRefused)
		return new InputError(
			`${title} is not approved: its status is ${template.status}`,
			'Wait for the approval, or choose an approved template.',
		);
	if (template?.pdf === 'needed' && !body?.headerDocumentUrl)
		return new InputError(
			`${title} needs a PDF in its header`,
			"Enter the public address of the PDF in 'Header PDF URL', or attach a PDF to the template in the service. If this field is not shown, because the first item has another template, use a node for each template, after an IF.",
		);
	const unknown = hasNamed(given) && orderProblem(name, language, list);
	if (unknown) return unknown;
	if (!template?.variables) return message.missing ? emptyField(message.missing) : gapIn(given);
	const { variables } = template;
	return editProblem(given, variables, title) ?? valueProblem(given, variables, title);
}

/** A number may mean another value since the form was filled in: "Dear {{1}}, you owe us {{2}}", "Pay {{1}}, dear {{2}}". */
function editProblem(
	given: GivenVariable[],
	variables: TemplateVariable[],
	title: string,
): InputError | undefined {
	for (const value of given) {
		const { shownIn } = value;
		const text = variables.find(({ id }) => id === value.id)?.text;
		const isNamed = hasNamed([value]);
		if (isNamed || !shownIn || text === undefined) continue;
		if (withSingleSpaces(text).includes(shownIn)) continue;
		return new InputError(
			`${title} has changed since its variables were filled in`,
			`'${titleOf(value)}' was filled in for "${shownIn}", and the text is now "${text}". Close the node, open it again, and check each of its variables.`,
		);
	}
	return undefined;
}

function valueProblem(
	given: GivenVariable[],
	variables: TemplateVariable[],
	title: string,
): InputError | undefined {
	const ids = given.map((value) => idFor(value, variables));
	const surplus = given.find((_, index) => !variables.some(({ id }) => id === ids[index]));
	if (surplus)
		return new InputError(
			`${title} has no variable '${titleOf(surplus)}'`,
			`Its variables: ${variables.map(titleOf).join(', ') || 'none'}. Leave this field empty for this template, or refresh the list of variables in the node.`,
		);
	const twice = ids.find((id, index) => ids.indexOf(id) < index);
	if (twice)
		return new InputError(
			`${title} has two values for '${titleOf({ id: twice })}'`,
			'One is given by name, the other by number. Remove one of them.',
		);
	const missing = variables.find(({ id }) => !ids.includes(id));
	if (!missing) return undefined;
	return new InputError(
		`${title} needs a value for '${titleOf(missing)}'`,
		`Fill in its field, or check the data that its expression refers to. The text around it: "${missing.text}".`,
	);
}

// By name, else by number, because the form may have had only numbered fields. If the form has asked for this number,
// the template has been edited since.
function idFor(value: GivenVariable, variables: TemplateVariable[]): string {
	const own = variables.filter((variable) => partOf(variable) === partOf(value));
	const numbered = value.isAsked ? undefined : own[Number(nameOf(value)) - 1];
	return (own.find(({ id }) => id === value.id) ?? numbered ?? value).id;
}
