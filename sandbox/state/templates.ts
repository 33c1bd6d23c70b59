/** Message templates and their approval. */
import { z } from 'zod';

import { conflict, invalid, notFound, parse } from '../errorResponses';
import { newId } from '../ids';
import { Records } from './records';

const variable = /\{\{([^{}]+)\}\}/g;

const upperCase = z.string().transform((text) => text.toUpperCase());

const buttonSchema = z
	.object({ type: upperCase, text: z.string().min(1), url: z.string().optional() })
	.passthrough();

/** A part of a template. Types are in upper case, as operators of channels write them (assumption). */
const componentSchema = z
	.object({
		type: upperCase.pipe(z.enum(['HEADER', 'BODY', 'FOOTER', 'BUTTONS'])),
		format: upperCase.pipe(z.enum(['TEXT', 'DOCUMENT', 'IMAGE'])).optional(),
		text: z.string().optional(),
		buttons: z.array(buttonSchema).optional(),
	})
	.passthrough();
type TemplateComponent = z.output<typeof componentSchema>;

/** What the sandbox requires of a template beyond the contract (assumptions). */
const templateFieldsSchema = z
	.object({
		name: z.string().min(1),
		language: z
			.string()
			.regex(/^[a-z]{2,3}_[A-Z]{2}$/, 'must be a locale code of the form xx_XX, e.g. en_US'),
		category: upperCase
			.pipe(z.enum(['MARKETING', 'UTILITY', 'AUTHENTICATION']))
			.default('MARKETING'),
		components: z
			.array(componentSchema)
			.refine((parts) => parts.some(({ type, text }) => type === 'BODY' && text), {
				message: 'A template needs a BODY component with a text',
			})
			.default([{ type: 'BODY', text: '…' }]),
		headerDocumentAttached: z.boolean().default(false),
	})
	.passthrough();
export type TemplateFields = z.input<typeof templateFieldsSchema>;

export type TemplateStatus = 'PENDING' | 'APPROVED' | 'REJECTED';

/** A template as the service shows it. `headerDocumentAttached`: whether a PDF is attached in the service. */
export type Template = z.output<typeof templateFieldsSchema> & {
	id: string;
	status: TemplateStatus;
	createdAt: string;
	updatedAt: string;
};

/** The distinct variables of a text, e.g. `['1', '2']` for "Hi {{1}}, meet {{2}}"; numbered ones by number. */
export function variablesOf(text = ''): string[] {
	const names = [...new Set([...text.matchAll(variable)].map(([, name = '']) => name.trim()))];
	const areNumbered = names.every((name) => /^\d+$/.test(name));
	return areNumbered ? names.sort((one, other) => Number(one) - Number(other)) : names;
}

/** A text with its variables replaced, in the order of {@link variablesOf}. */
export function fillIn(text: string, values: string[]): string {
	const names = variablesOf(text);
	return text.replace(variable, (_, name: string) => values[names.indexOf(name.trim())] ?? '');
}

/** The part of a template that has a type, e.g. its HEADER. */
export function partOf(
	template: Template,
	type: TemplateComponent['type'],
): TemplateComponent | undefined {
	return template.components.find((component) => component.type === type);
}

const now = () => new Date().toISOString();

/** All templates. A template is identified by name and language. */
export class Templates extends Records<Template> {
	protected readonly kind = 'template';

	/** @throws HttpError 422, or 409 if a template has this name and language */
	create(fields: unknown, status: TemplateStatus): Template {
		const template: Template = {
			...parse(templateFieldsSchema, fields),
			...{ id: newId('tpl'), status, createdAt: now(), updatedAt: now() },
		};
		this.refuseTaken(template);
		this.all.push(template);
		return template;
	}

	/** Sets the given fields. A changed template needs a new approval. @throws HttpError 404, 409 or 422 */
	update(id: string, fields: Record<string, unknown>): Template {
		const template = this.find(id);
		const { createdAt } = template;
		const changed: Template = {
			...parse(templateFieldsSchema, { ...template, ...fields }),
			...{ id, status: 'PENDING', createdAt, updatedAt: now() },
		};
		this.refuseTaken(changed);
		return Object.assign(template, changed);
	}

	/** The approved template of a name and a language. @throws HttpError 404 if there is none, 422 if it is not approved */
	findApproved(name: string, language: string): Template {
		const named = this.all.filter((template) => template.name === name);
		if (named.length === 0) throw notFound(`There is no template named ${name}`, 'template');
		const template = named.find((candidate) => candidate.language === language);
		if (!template) throw notFound(`Template ${name} does not exist in ${language}`, 'language');
		if (template.status === 'APPROVED') return template;
		const words = `Template ${name} in ${language} is ${template.status}; only an APPROVED one can be sent`;
		throw invalid('template', words);
	}

	private refuseTaken({ id, name, language }: Template): void {
		const taken = this.all.some(
			(other) => other.name === name && other.language === language && other.id !== id,
		);
		if (taken) throw conflict('name', `There is already a template named ${name} in ${language}`);
	}
}
