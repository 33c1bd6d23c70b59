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

/**
 * A list as n8n calls it, with errors in the words of the node.
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

/** The entries that contain what was typed, whatever the case; "0170 123" is also a part of +49170123… */
export function matching(entries: INodeListSearchItems[], filter: string): INodeListSearchItems[] {
	const text = filter.toLowerCase();
	const isNumber = /^[\d\s+().-]+$/.test(filter);
	const digits = isNumber ? filter.replace(/\D/g, '').replace(/^0+/, '') : '';
	return entries.filter(
		({ name }) =>
			name.toLowerCase().includes(text) ||
			(digits !== '' && name.replace(/\D/g, '').includes(digits)),
	);
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
