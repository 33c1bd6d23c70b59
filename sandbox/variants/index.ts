/** The variants of the service that the specification allows, and the choice of one. */
import { mapValues } from 'lodash';
import { z } from 'zod';

/**
 * What the specification leaves open, and how services could behave: one entry for each variation point. The first value is
 * the default of the sandbox. docs/api-assumptions.md lists the open points; the tests named there have more alternatives.
 */
const variationPoints = {
	/** Which API paths are served. */
	'api-path': ['both', 'api-v1'],
	/** What an API path does not list: is refused with 405 or 404, or is there all the same. */
	endpoints: ['listed', 'all'],
	/** Where a single record is: the whole response, under `data`, or alone in a list under the name of the resource. */
	'record-envelope': ['bare', 'data', 'listed'],
	/** Name of the identifier; `snake` is contact_id, template_id and so on. */
	'id-key': ['id', '_id', 'snake'],
	'id-type': ['string', 'number'],
	/** How phone numbers are written: +15551234567, or 15551234567. */
	'phone-numbers': ['e164', 'digits'],
	/** Status of a write that succeeded; `usual` is 201 for what was created, 204 for what was deleted, else 200. */
	'success-status': ['usual', '202', '204'],
	/** Body of a write that succeeded; `text` is OK. */
	'success-body': ['record', 'text'],
	'time-format': ['iso', 'seconds'],
	/** Body of an error: { error: { code, message, field } }, { errors: { field: [text] } }, or text. */
	'error-shape': ['nested', 'fields', 'text'],
	/** Status of a refusal; `ok` is 200 with success: false in the body. */
	'error-status': ['http', 'ok'],
	/** Body of a send that succeeded: the record, only { status: queued }, nothing but a Location header, or only the ID. */
	'send-response': ['record', 'status', 'location', 'id'],
	/** A refused send: as other calls, or with status 200: an ID and status: failed, only a code, or Success: "false". */
	'send-refusal': ['usual', 'failed', 'code', 'flag'],
	/** Types such as BODY, types such as body, or only name, language and status are shown. */
	'template-form': ['usual', 'lower', 'hidden'],
	/** Number of the first page. */
	'page-base': ['1', '0'],
	/** A greater `limit` than the greatest page size. */
	'page-size': ['capped', 'refused'],
	/** How the next page is asked for: by its number, or with a cursor, which a bare list shows in the Link header. */
	paging: ['pages', 'next_cursor'],
	/** Response beyond the last page: an empty page, 404, 422, or the last page again. */
	'last-page': ['empty', 'not-found', 'bad-request', 'repeated'],
	/** Page, limit and total beside the records, only X-Total-Count, or nothing. */
	'page-metadata': ['flat', 'header', 'absent'],
	/** Where the records of a list are: under `data`, the whole response, or under the name of the resource. */
	'list-envelope': ['data', 'bare', 'named'],
	/** What happens to contacts while they are listed. */
	'list-changes': ['none', 'added', 'removed'],
	/** Name of the field for the address of a webhook. */
	'webhook-url': ['url', 'callbackUrl', 'callback_url'],
	/** Events of a webhook: a list, a text with commas, or no field, as all are delivered. */
	'webhook-events': ['array', 'string', 'absent'],
	/** A call to an address before it is registered: a GET with hub.challenge, a POST with challenge, or a POST without data. */
	'webhook-challenge': ['none', 'hub', 'post', 'ping'],
	/**
	 * How the address of a webhook is shown: with a slash at the end of the path, percent-encoded, without its query, with a mask
	 * instead of the query's values, or not at all.
	 */
	'webhook-listing': ['as-given', 'slash', 'encoded', 'no-query', 'masked', 'hidden'],
	/** Where a customer's text is: in data.text, or in data.message.content.text. */
	'event-text': ['flat', 'content'],
	/** Who has written: a number, an object with the number, or a number after the name of the channel. */
	'event-sender': ['number', 'object', 'prefixed'],
	/** The time of an event: in data.timestamp, in data.occurred_at, or in whole minutes. */
	'event-time': ['timestamp', 'occurred_at', 'minutes'],
	/** Names of receipts: message.delivered, or message.status with data.message.status. */
	'receipt-names': ['dotted', 'nested'],
} as const satisfies Record<string, readonly [string, ...string[]]>;

type Table = typeof variationPoints;
/** Name of a variation point, e.g. `page-base`. */
export type VariationPointName = keyof Table;
/** One value for each variation point. Numbers are written as text. */
export type Choice = { -readonly [Name in VariationPointName]: Table[Name][number] };

/** The names of all variation points. */
export const variationPointNames = Object.keys(variationPoints) as VariationPointName[];

/** The values of a variation point; the first is the default of the sandbox. */
export function valuesOf<Name extends VariationPointName>(name: Name): Array<Choice[Name]> {
	return [...variationPoints[name]] as Array<Choice[Name]>;
}

/** The option `variants` of a sandbox: any variation point that is left out has its first value. */
export const variantsSchema = z
	.object(mapValues(variationPoints, (values) => z.enum(values).default(values[0])))
	.strict()
	.default({}) as unknown as z.ZodType<Choice, z.ZodTypeDef, Partial<Choice> | undefined>;

/** The default of the sandbox. */
export const usualChoice = variantsSchema.parse({});

/** Every choice that differs from the default in a single point. */
export function singleVariants(): Array<Partial<Choice>> {
	return variationPointNames.flatMap((name) =>
		valuesOf(name)
			.slice(1)
			.map((value) => ({ [name]: value })),
	);
}

/** A choice with a random value for each variation point. @param seed a whole number; the same one gives the same choice */
export function randomVariants(seed: number): Choice {
	const below = numbers(seed);
	const pick = (name: VariationPointName) => valuesOf(name)[below(valuesOf(name).length)];
	return Object.fromEntries(variationPointNames.map((name) => [name, pick(name)])) as Choice;
}

/** `page-base=0 last-page=repeated`: what of a choice is not usual; `usual` if nothing is. */
export function describeVariants(variants: Partial<Choice>): string {
	const other = variationPointNames.filter(
		(name) => (variants[name] ?? usualChoice[name]) !== usualChoice[name],
	);
	return other.map((name) => `${name}=${variants[name]}`).join(' ') || 'usual';
}

/** A generator of random whole numbers below a limit; the same seed gives the same numbers (mulberry32). */
export function numbers(seed: number): (below: number) => number {
	let state = seed | 0;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}
