/** Finds the next page in a response by the names of its fields. */
import { isEqual, lowerFirst, uniq, uniqWith } from 'lodash';

import { textOrJson } from '../jsonValues';
import {
	asNumber,
	type ServiceResponse,
	type ResponseField,
	aboutList,
	fieldsOf,
	plainName,
} from './readResponse';

/** Query parameters of a request. */
export type Query = Record<string, unknown>;

/** What a page says about the rest of its list. */
export interface Paging {
	hasMore: boolean;
	/** Whether it names the number of a next page, alone or in a link, which some services also do on the last page. */
	hasNumber: boolean;
	/** Whether it says that the list has several pages; undefined if it says nothing of this. */
	isPaged?: boolean;
	/** Query parameters that may lead to the next page, in the order in which they are tried; empty if pages are numbered. */
	next: Query[];
}

const moreName = /^(has(more|next)(page)?|more(available)?|(is)?truncated)$/;
const nextName = /^next(page)?(cursor|token|offset|key|marker|url|uri|link|href)?$|^cursornext$/;
const noPage = /^(\s*|0|-1|null|none|nil|undefined|false|#)$/i;
/** Names of cursors that some services also show on the last page. */
const cursorName = /^((cursors|end)?(after|cursor)|continuationtoken)$/;

const pageCountName =
	/^(x|wp|pagination)*((total|last)pages?|(num|number(of)?|nb)?pages|pages?(count|total))$/;

/** Parameters of a link that say no more than the number of a page. */
const numberParameter = /^(page|limit|(page)?size|(per)page)$/;

/** Reads the next page from the body or the `Link` header of a page. Links to another host are not followed. */
export function readPaging(
	{ body, headers, url }: ServiceResponse & { url: string },
	page = 1,
): Paging {
	const link = /<([^<>]*)>[^,]*;\s*rel="?next\b/i.exec(String(headers.link ?? headers.Link));
	const fields = [...fieldsOf({ next: link?.[1] }), ...fieldsOf(body)];
	const flag = fields.find(
		({ name, value }) =>
			moreName.test(plainName(name)) && /^(true|false)$/i.test(textOrJson(value)),
	);
	const given = fields.filter(
		({ value }) => ['string', 'number'].includes(typeof value) && !noPage.test(String(value)),
	);
	const next = given.filter(
		({ name, parent }) => nextName.test(plainName(name)) || plainName(parent) === 'next',
	);
	const cursors = given.filter(({ name, parent }) =>
		cursorName.test(plainName(/^cursors$/i.test(parent) ? parent + name : name)),
	);
	const isLast = /^false$/i.test(textOrJson(flag?.value));
	const queries = (pointer: ResponseField) => queriesOf(pointer, url, page);
	const isNumber = (pointer: ResponseField) =>
		/^\d+$/.test(String((queries(pointer) ?? [{ page }])[0]?.page));
	const hasMore = !isLast && (flag !== undefined || !next.every(isNumber));
	const hasNumber = !isLast && next.some(isNumber);
	const pageCounts = [...given, ...fieldsOf(headers)].filter(
		({ name, parent, value }) =>
			pageCountName.test(plainName(name)) &&
			aboutList.test(plainName(parent)) &&
			asNumber(value) > 0,
	);
	const isPaged =
		pageCounts.length > 0 ? pageCounts.some(({ value }) => asNumber(value) > 1) : undefined;
	const pointers = isLast ? [] : [...next, ...cursors];
	const found = pointers.flatMap((pointer) => queries(pointer) ?? []);
	return { hasMore, hasNumber, isPaged, next: uniqWith(found, isEqual) };
}

/**
 * The query parameters in a URL; for a token, the parameter named after its field, or `cursor`. A number beyond the
 * next page is a token or an offset. None for a link to another place; undefined for the number of a page.
 */
function queriesOf(
	{ name, parent, value }: ResponseField,
	url: string,
	page: number,
): Query[] | undefined {
	const text = String(value);
	if (/^https?:|^[^?\s]*\?\S+=/i.test(text) && URL.canParse(text, url)) {
		const [own, target] = [new URL(url), new URL(text, url)];
		const query = Object.fromEntries(target.searchParams);
		const isHere = own.host === target.host && own.pathname === target.pathname;
		if (!isHere) return [];
		const isNumber = Object.keys(query).every((key) => numberParameter.test(plainName(key)));
		return isNumber && /^\d+$/.test(query.page) ? undefined : [query];
	}
	const own = plainName(parent) === 'next' ? name : lowerFirst(name.replace(/_?next_?/i, ''));
	const isNumber = /^(page)?$/i.test(own) && /^\d+$/.test(text);
	if (isNumber && Number(text) <= page + 1) return undefined;
	const names = isNumber
		? [name, 'cursor', 'after', 'offset']
		: [own || 'cursor', name, 'cursor', 'after'];
	return uniq(names).map((key) => ({ [key]: text }));
}
