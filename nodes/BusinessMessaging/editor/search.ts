/** What all searchable lists of the editor have in common. */
import {
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type INodeListSearchResult,
	NodeOperationError,
} from 'n8n-workflow';
import { compact } from 'lodash';

import { isRecord } from '../api/read';
import { asText } from '../operations/asText';
import { asFailure } from '../operations/outcome';

/** How many entries are shown until the user scrolls on. */
const pageLength = 50;

/**
 * A list as n8n calls it, which says in the words of the node what went wrong.
 *
 * @param search gets what was typed, and the `paginationToken` of the page before
 */
export function listSearch(
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
			const { message, description } = asFailure(error);
			throw new NodeOperationError(this.getNode(), message, { description });
		}
	};
}

/** One page of a list that is at hand as a whole. The token is the number of entries before it. */
export function pageOf(
	entries: INodeListSearchItems[],
	filter: string,
	token = '0',
): INodeListSearchResult {
	const wanted = entries.filter(({ name }) => includes(name, filter));
	const end = Number(token) + pageLength;
	const results = wanted.slice(Number(token), end);
	return end < wanted.length ? { results, paginationToken: String(end) } : { results };
}

/** Whether a text holds what was typed, whatever the case; "0170 123" is also a part of +49170123… */
export function includes(text: string, filter: string): boolean {
	if (text.toLowerCase().includes(filter.toLowerCase())) return true;
	const digits = filter.replace(/\D/g, '').replace(/^0+/, '');
	const isNumber = digits !== '' && /^[\d\s+().-]+$/.test(filter);
	return isNumber && text.replace(/\D/g, '').includes(digits);
}

/** A label out of what is known, e.g. `Ada Lovelace · +15551000000`. */
export function label(...parts: Array<string | undefined>): string {
	return compact(parts).join(' · ');
}

/**
 * A parameter of the open node: what was chosen or typed. The editor has evaluated expressions already.
 *
 * @returns undefined for an expression that cannot be evaluated yet
 */
export function chosen(context: ILoadOptionsFunctions, name: string): string | undefined {
	const value = context.getCurrentNodeParameter(name) ?? '';
	const inner: unknown = isRecord(value) && 'value' in value ? value.value : value;
	if (inner === null || inner === undefined) return undefined;
	const text = asText(inner).trim();
	return text.startsWith('=') ? undefined : text;
}
