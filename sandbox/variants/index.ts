/** The variants of the service that the specification allows, and ways to choose one. */
import { mapValues } from 'lodash';
import { z } from 'zod';

/**
 * What the specification leaves open, and how services could behave; the first value is the default.
 * docs/api-assumptions.md lists the open points, and tests of further alternatives.
 */
const variationPoints = {
	'api-path': ['both', 'api-v1'],
	/** Calls that an API path does not list: they are refused with 405 or 404, or they work (`all`). */
	endpoints: ['listed', 'all'],
	/** A single record: bare, under `data` or `result`, or the only entry of a list that is named after the resource. */
	'record-envelope': ['bare', 'data', 'result', 'listed'],
	/** Name of the ID; `snake` is contact_id, template_id and so on. */
	'id-key': ['id', '_id', 'snake'],
	/** Type of the ID; `large` is an odd number beyond 2^53, which JavaScript rounds. */
	'id-type': ['string', 'number', 'large'],
	/** How phone numbers are written: +15551234567, or 15551234567. */
	'phone-numbers': ['e164', 'digits'],
	/** Status of a successful write; `usual` is 201 after creating, 204 after deleting, otherwise 200. */
	'success-status': ['usual', '202', '204'],
	/** Body of the response to a successful write; `text` is OK. */
	'success-body': ['record', 'text'],
	/** Whether a PUT of a contact empties the fields that it does not contain. */
	'contact-put': ['changes', 'replaces'],
	/** Which calls get a redirect to another path of the same host: none, all GETs, or all calls for contacts. */
	redirects: ['none', 'reads', 'contacts'],
	'time-format': ['iso', 'seconds'],
	/** Body of an error: { error: { code, message, field } }, { errors: { field: [text] } }, or text. */
	'error-shape': ['nested', 'fields', 'text'],
	/** Status of a refusal; `ok` is 200 with success: false in the body. */
	'error-status': ['http', 'ok'],
	/** Response to a successful send: the record, only { status: queued }, only a Location header, or only the ID. */
	'send-response': ['record', 'status', 'location', 'id'],
	/** Response to a refused send: as usual; or 200 with an ID and status: failed, only a code, or Success: "false". */
	'send-refusal': ['usual', 'failed', 'code', 'flag'],
	/** How templates are shown: with types such as BODY, or such as body; or only name, language and status. */
	'template-form': ['usual', 'lower', 'hidden'],
	/** Number of the first page. */
	'page-base': ['1', '0'],
	/** What happens if `limit` is above the maximum: it is reduced, or the call is refused, or fails with 500. */
	'page-size': ['capped', 'refused', 'failing'],
	/** The next page: by its number, by a cursor (of a bare list: in the Link header); with `none`, one page has all. */
	paging: ['pages', 'next_cursor', 'none'],
	/** Response beyond the last page: an empty page, 404, 422, or the last page once more. */
	'last-page': ['empty', 'not-found', 'bad-request', 'repeated'],
	/**
	 * Page, limit and total beside the records; only X-Total-Count; or nothing. Misleading: `others` has only the total
	 * of something else, and the total of `low` is one too low.
	 */
	'page-metadata': ['flat', 'header', 'absent', 'others', 'low'],
	/** Where the records of a list are: under `data`, in a bare list, or under the name of the resource. */
	'list-envelope': ['data', 'bare', 'named'],
	/** What happens to contacts while they are listed. */
	'list-changes': ['none', 'added', 'removed'],
	/** Name of the field for the address of a webhook. */
	'webhook-url': ['url', 'callbackUrl', 'callback_url'],
	/**
	 * How a registration shows its events: names, records, a text with commas, or nothing: then all are delivered. A
	 * registration that shows records is made with a list of names.
	 */
	'webhook-events': ['array', 'records', 'string', 'absent'],
	/** Calls before a registration: none, a GET with hub.challenge, a POST with challenge, or a POST without data. */
	'webhook-challenge': ['none', 'hub', 'post', 'ping'],
	/** The listed address: as given, with a slash after its path, percent-encoded, without query, masked, or hidden. */
	'webhook-listing': ['as-given', 'slash', 'encoded', 'no-query', 'masked', 'hidden'],
	/** Where a customer's text is: in data.text, or in data.message.content.text. */
	'event-text': ['flat', 'content'],
	/** How the sender is shown: a number, an object with the number, or a number after the name of the channel. */
	'event-sender': ['number', 'object', 'prefixed'],
	/** Where the time of an event is: in data.timestamp, in data.occurred_at, or in data.timestamp in whole minutes. */
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

/** The option `variants` of a sandbox. A variation point that is missing gets its first value. */
export const variantsSchema = z
	.object(mapValues(variationPoints, (values) => z.enum(values).default(values[0])))
	.strict()
	.default({}) as unknown as z.ZodType<Choice, z.ZodTypeDef, Partial<Choice> | undefined>;

/** The default of the sandbox. */
export const usualChoice = variantsSchema.parse({});

/** All choices that differ from the default in exactly one point. */
export function singleVariants(): Array<Partial<Choice>> {
	return variationPointNames.flatMap((name) =>
		valuesOf(name)
			.slice(1)
			.map((value) => ({ [name]: value })),
	);
}

/** A random value for each variation point. @param seed a whole number; the same seed gives the same choice */
export function randomVariants(seed: number): Choice {
	const below = numbers(seed);
	const pick = (name: VariationPointName) => valuesOf(name)[below(valuesOf(name).length)];
	return Object.fromEntries(variationPointNames.map((name) => [name, pick(name)])) as Choice;
}

/** The values of a choice that differ from the default, e.g. `page-base=0 last-page=repeated`; `usual` if none does. */
export function describeVariants(variants: Partial<Choice>): string {
	const other = variationPointNames.filter(
		(name) => (variants[name] ?? usualChoice[name]) !== usualChoice[name],
	);
	return other.map((name) => `${name}=${variants[name]}`).join(' ') || 'usual';
}

/** A function that gives random whole numbers below a limit; the same seed gives the same numbers (mulberry32). */
export function numbers(seed: number): (below: number) => number {
	let state = seed | 0;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}
