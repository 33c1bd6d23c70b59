/** Holds messages against their templates before the first one goes out. */
import { groupBy, isPlainObject, sortBy } from 'lodash';

import type { Template, TemplateVariable } from '../../api/templates';
import { type ServiceRecord, isRecord } from '../../api/read';
import type { Client } from '../../transport/client';
import { withDeadline } from '../../transport/deadline';
import { type TemplateReference, findTemplate, listTemplates } from '../../transport/templateList';
import { asText } from '../asText';
import { InputError } from '../inputError';
import type { OperationRequest } from '../operation';
import { fieldOf, titleOf, toComponents } from './variables';

/** How long a list of templates is believed, ms; before anything is refused it is loaded anew. */
const maxAgeMs = 5 * 60_000;
/** How long the look-up may take, ms. Messages go out without it, too. */
const limitMs = 15_000;

/** What was found out about the templates of a run; undefined if they could not be listed. */
export type KnownTemplates = Template[] | undefined;

/** Looks the templates of a run up, once. Does not throw: without a list the service judges by itself. */
export async function lookUpTemplates(
	client: Client,
	requests: OperationRequest[],
): Promise<KnownTemplates> {
	const wanted = requests.flatMap(({ body }) =>
		body && 'template' in body ? [referenceOf(body)] : [],
	);
	if (wanted.length === 0) return undefined;
	const isRefused = (templates: Template[]) =>
		requests.some((request) => complaint(request, templates));
	try {
		const templates = await withDeadline(listTemplates(client, maxAgeMs, wanted), limitMs);
		return isRefused(templates)
			? await withDeadline(listTemplates(client, 0, wanted), limitMs)
			: templates;
	} catch {
		return undefined;
	}
}

/**
 * Holds a message against its template, and puts named values into the template's order.
 *
 * @throws InputError for a template that is not approved, a missing or surplus value, or a missing PDF
 */
export function reviewTemplate(
	request: OperationRequest,
	templates: KnownTemplates,
): OperationRequest {
	const fault = complaint(request, templates ?? []);
	if (fault) throw fault;
	const template = request.body && findTemplate(templates ?? [], referenceOf(request.body));
	if (!template || !request.variables) return request;
	const order = template.variables.map(fieldOf);
	const placeOf = (id: string) => (order.includes(id) ? order.indexOf(id) : order.length);
	return {
		...request,
		body: {
			...request.body,
			components: toComponents(sortBy(request.variables, (variable) => placeOf(fieldOf(variable)))),
		},
	};
}

function referenceOf({ template, language }: Record<string, unknown>): TemplateReference {
	return { template: asText(template), language: asText(language) };
}

function complaint(
	{ body, variables = [] }: OperationRequest,
	templates: Template[],
): InputError | undefined {
	const template = body && findTemplate(templates, referenceOf(body));
	if (!template) return undefined;
	const title = `The template "${template.name}" (${template.language})`;
	if (template.approval === 'notApproved') {
		return new InputError(
			`${title} is not approved: its status is ${template.status}`,
			'Only approved templates can be sent. Wait for the approval, or choose another template.',
		);
	}
	const stranger = variables.find(
		({ part, button, name }) =>
			!/^\d+$/.test(name) &&
			!template.variables.some(
				(own) => own.part === part && own.button === button && own.name === name,
			),
	);
	if (stranger)
		return new InputError(
			`${title} has no variable ${titleOf(stranger)}`,
			`Its variables: ${template.variables.map(titleOf).join(', ') || 'none'}. Open the node and refresh the list of variables.`,
		);
	return pdfComplaint(body, template, title) ?? countComplaint(body, template, title);
}

function pdfComplaint(
	body: ServiceRecord,
	{ headerPdf }: Template,
	title: string,
): InputError | undefined {
	if (headerPdf !== 'needed' || body.headerDocumentUrl || parametersOf(body, 'header').length > 0)
		return undefined;
	return new InputError(
		`${title} needs a PDF in its header`,
		'Enter the public address of the PDF in the field Header PDF URL, or attach a PDF to the template in the service.',
	);
}

/** Compares the number of values with the number of variables, part by part. */
function countComplaint(
	body: ServiceRecord,
	{ variables, header }: Template,
	title: string,
): InputError | undefined {
	const parts = groupBy(variables, ({ part, button }) => `${part}${button ?? ''}`);
	for (const own of Object.values(parts)) {
		const values = parametersOf(body, own[0].part, own[0].button, buttonsOf(variables));
		if (values.length < own.length) return missing(title, own[values.length]);
		if (values.length > own.length) return surplus(title, own[0], values.length, own.length);
	}
	if (!parts.body && parametersOf(body, 'body').length > 0)
		return surplus(title, { part: 'body' }, parametersOf(body, 'body').length, 0);
	// Images and documents of a header come as parameters, too, and so do the answers of buttons.
	if (header === undefined && parametersOf(body, 'header').length > 0)
		return surplus(title, { part: 'header' }, parametersOf(body, 'header').length, 0);
	return undefined;
}

function missing(title: string, variable: TemplateVariable): InputError {
	return new InputError(
		`${title} needs a value for ${titleOf(variable)}`,
		`It stands in: ${variable.text}`,
	);
}

function surplus(
	title: string,
	{ part, button }: Pick<TemplateVariable, 'part' | 'button'>,
	given: number,
	wanted: number,
): InputError {
	const place = `${part}${button ? ` ${button}` : ''}`;
	return new InputError(
		`${title} has ${wanted === 0 ? 'no variables' : `only ${wanted}`} in its ${place}, but ${given === 1 ? '1 value' : `${given} values`} came`,
		'Open the node, refresh the list of variables, and remove what is too much.',
	);
}

/** The numbers of the buttons with variables. */
function buttonsOf(variables: TemplateVariable[]): number[] {
	return [...new Set(variables.flatMap(({ button }) => button ?? []))];
}

/** The values for a part. A button's component names its place, or is meant for the next button that wants values. */
function parametersOf(
	{ components }: ServiceRecord,
	part: string,
	button?: number,
	wanting: number[] = [],
): unknown[] {
	const list = (Array.isArray(components) ? components : [])
		.filter(isRecord)
		.filter(({ type }) => asText(type).toLowerCase() === part);
	const unplaced = list.filter(({ index }) => index === undefined);
	const mine =
		button === undefined
			? list[0]
			: (list.find(({ index }) => asText(index) === String(button - 1)) ??
				unplaced[wanting.indexOf(button)]);
	return isPlainObject(mine) && Array.isArray(mine?.parameters) ? mine.parameters : [];
}
