/** The variants of the service that the specification allows, and the choice of one. */
import { mapValues } from 'lodash';
import { z } from 'zod';

/**
 * What the specification leaves open, and how services could behave: one entry for each variation point, which begins with
 * its subject. A value is a name, or a name with its meaning; the first one is the default of the sandbox. There is one
 * value for each way in which the nodes read a response. docs/api-assumptions.md lists the open points.
 */
const variationPoints = {
	'api-path': ['which API paths are served', 'both', 'api-v1: only /api/v1'],
	endpoints: [
		'what an API path does not list',
		'listed: is refused with 405 or 404',
		'404: is refused with 404',
		'all: is there all the same',
	],
	'update-method': [
		'how a contact is updated',
		'listed: as specified',
		'other: PATCH under /v1, PUT under /api/v1',
	],
	'record-envelope': [
		'where a single record is',
		'bare: the response is the record',
		'data: under data',
		'listed: alone in a list under the name of the resource',
	],
	'id-key': ['name of the identifier', 'id', '_id', 'snake: contact_id, template_id and so on'],
	'id-type': ['type of the identifier', 'string', 'number'],
	'phone-numbers': ['how phone numbers are written', 'e164: +15551234567', 'digits: 15551234567'],
	'success-status': [
		'status of a write that succeeded',
		'usual: 201 for what was created, 204 for what was deleted, else 200',
		'202',
		'204: 204 without a body',
	],
	'success-body': ['body of a write that succeeded', 'record', 'text: OK'],
	'time-format': ['how times are written', 'iso', 'seconds', 'absent'],
	'error-shape': [
		'body of an error',
		'nested: { error: { code, message } }',
		'list: { errors: [{ message }] }',
		'fields: { errors: { field: [text] } }',
		'detail: problem details, { title, detail }',
		'text: plain text',
		'html: the page of a proxy',
	],
	'error-status': ['status of an error', 'http', 'ok: 200, with success: false in the body'],
	'rate-headers': [
		'how a 429 says when to continue',
		'retry-after: Retry-After in seconds',
		'x-ratelimit-reset: X-RateLimit-Reset in Unix seconds',
		'none: not at all',
	],
	'template-form': [
		'how a template is written',
		'usual: types such as BODY, variables such as {{1}}',
		'lower: types such as body',
		'named: variables such as {{größe}}, {{ 名前 }}',
		'hidden: only name, language and status are shown',
		'languages: one record with a list of its languages',
	],
	'template-status': [
		'how the approval of a template is written',
		'upper: APPROVED, PENDING, REJECTED',
		'quality: Active - Quality pending, In review, Rejected',
	],

	'page-base': ['number of the first page', '1', '0'],
	'page-size': [
		'how `limit` is treated',
		'capped: cut to the greatest page size',
		'refused: refused above the greatest page size',
		'ignored',
	],
	paging: [
		'how the next page of a list is asked for',
		'pages: by its number',
		'none: there is only one; `limit` and `page` are ignored',
		'next_cursor: with the cursor under next_cursor; a bare list shows it in the Link header',
		'link: with the cursor in the Link header',
	],
	'last-page': [
		'response beyond the last page',
		'empty: an empty page',
		'not-found: 404',
		'bad-request: 422',
		'repeated: the last page again',
	],
	'refused-pages': ['which pages are refused with 422', 'none', 'deep: all beyond the second'],
	'page-metadata': [
		'metadata of a page',
		'flat: page, limit and total beside the records',
		'header: X-Total-Count',
		'absent: nothing',
	],
	'list-envelope': [
		'where the records of a list are',
		'data: under data',
		'bare: the response is the list',
		'named: under the name of the resource',
	],
	'list-changes': ['what happens to contacts while they are listed', 'none', 'added', 'removed'],

	'webhook-url': [
		'name of the field for the address of a webhook',
		'url',
		'callbackUrl',
		'callback_url',
	],
	'webhook-events': [
		'events of a webhook',
		'array',
		'string: with commas',
		'absent: all are delivered',
	],
	'event-names': ['an event that the service does not have', 'any: is registered', 'known: 422'],
	'webhook-challenge': [
		'whether an address is called before it is registered',
		'none: no',
		'hub: GET with hub.mode, hub.verify_token and hub.challenge, which must come back',
		'post: POST of { type: url_verification, challenge }, which must come back',
	],
	'webhook-duplicates': ['a second webhook with the same address', 'allowed', 'refused: 409'],
	'event-envelope': [
		'what is beside event and data',
		'plain: nothing',
		'extended: identifier, time …',
	],
	'event-batch': ['how many events a delivery has', 'single: one', 'array: a list, each one twice'],
	'event-text': [
		"where a customer's text is",
		'flat: data.text',
		'body: data.text.body',
		'content: data.message.content.text',
	],
	'receipt-names': [
		'how the delivery receipts are named',
		'dotted: message.delivered',
		'upper: MESSAGE_DELIVERED',
		'nested: message.status with data.message.status',
	],
} as const satisfies Record<string, readonly [words: string, ...values: string[]]>;

type Table = typeof variationPoints;
/** Name of a variation point, e.g. `page-base`. */
export type VariationPointName = keyof Table;
type ValuesOf<Point> = Point extends readonly [string, ...infer Values] ? Values : never;
type NameOf<Value> = Value extends `${infer Name}: ${string}` ? Name : Value;

/** One value for each variation point. Numbers are written as text. */
export type Choice = {
	-readonly [Name in VariationPointName]: NameOf<ValuesOf<Table[Name]>[number]>;
};

/** The names of all variation points. */
export const variationPointNames = Object.keys(variationPoints) as VariationPointName[];

/** The values of a variation point; the first is the default of the sandbox. */
export function valuesOf<Name extends VariationPointName>(name: Name): Array<Choice[Name]> {
	const [, ...values] = variationPoints[name];
	return values.map((value) => value.split(': ')[0]) as Array<Choice[Name]>;
}

const pointSchema = (name: VariationPointName) =>
	z.enum(valuesOf(name) as [string, ...string[]]).default(valuesOf(name)[0]);

/** The option `variants` of a sandbox: any variation point that is left out has its first value. */
export const variantsSchema = z
	.object(mapValues(variationPoints, (_, name) => pointSchema(name as VariationPointName)))
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

/** Lines that list all variation points with their values. */
export function variantsHelp(): string[] {
	return Object.entries(variationPoints).flatMap(([point, [words, ...values]]) => [
		`  ${point.padEnd(22)} ${words}`,
		...values.map((value) => `    ${value}`),
	]);
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
