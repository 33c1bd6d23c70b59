/** The service's templates, kept for a while in the process, so that neither every run nor every key typed lists them anew. */
import { endpoints } from '../api/endpoints';
import { type Template, readTemplates } from '../api/templates';
import { BoundedMap } from '../boundedMap';
import type { Client } from './client';
import { listRecords } from './pages';

/** A template as messages refer to it. */
export interface TemplateReference {
	template: string;
	language: string;
}

interface KeptList {
	/** When the listing began, ms since 1970. */
	at: number;
	templates: Template[];
	/** Whether the listing was read to its end. */
	isComplete: boolean;
}

/** By address and key. */
const kept = new BoundedMap<string, KeptList>({ maxSize: 20 });
/** Among how many templates wanted ones are looked for before all are listed. */
const firstLook = 100;

/** The template in the language that a message refers to; names are told apart by case, languages are not. */
export function findTemplate(
	templates: Template[],
	{ template, language }: TemplateReference,
): Template | undefined {
	return templates.find(
		({ name, language: own }) => name === template && isLanguage(own, language),
	);
}

/** Whether two locale codes mean the same; `en-US` is written for `en_US` too. */
export function isLanguage(one: string | undefined, other: string): boolean {
	const plain = (code = '') => code.trim().toLowerCase().replaceAll('-', '_');
	return plain(one) === plain(other);
}

/**
 * Lists templates, in the service's order.
 *
 * @param maxAgeMs how old a kept list may be, ms; 0 lists anew
 * @param wanted ends the listing as soon as all of these are found; all templates without it
 * @throws ServiceError if they cannot be listed
 */
export async function listTemplates(
	client: Client,
	maxAgeMs: number,
	wanted?: TemplateReference[],
): Promise<Template[]> {
	const known = kept.get(client.config.id);
	const areFound = (templates: Template[]) =>
		wanted?.every((reference) => findTemplate(templates, reference)) ?? false;
	if (known && Date.now() - known.at < maxAgeMs && (known.isComplete || areFound(known.templates)))
		return known.templates;

	for (const limit of wanted ? [firstLook, Infinity] : [Infinity]) {
		const at = Date.now();
		const records = await listRecords(client, endpoints.listTemplates, { limit });
		const list: KeptList = {
			at,
			templates: records.flatMap(readTemplates),
			isComplete: records.length < limit,
		};
		if (!list.isComplete && !areFound(list.templates)) continue;
		kept.set(client.config.id, list);
		return list.templates;
	}
	return [];
}
