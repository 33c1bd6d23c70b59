/** Variation points of addresses, records and errors. */
import type { VariationPoint } from './variationPoint';

export const answerPoints = {
	'api-path': {
		words: 'which API path is served',
		values: ['both', ['v1', '{host}/v1 only'], ['api-v1', '{host}/api/v1 only']],
	},
	endpoints: {
		words: 'which endpoints an API path has',
		values: [
			['listed', 'those that the specification lists for it'],
			['all', 'all of them'],
		],
	},
	'update-method': {
		words: 'how a contact is updated',
		values: [
			['listed', 'as the specification lists it for the API path'],
			['patch', 'with PATCH'],
			['put', 'with PUT'],
		],
	},
	'missing-status': {
		words: 'answer to what an API path does not list',
		values: [['usual', '405 where another method is listed, else 404'], '404', '405'],
	},
	'record-envelope': {
		words: 'where a single record stands',
		values: [
			['bare', 'the answer is the record'],
			['data', 'under data'],
			['named', 'under the name of the resource'],
			['listed', 'alone in a list under the name of the resource'],
		],
	},
	'id-key': {
		words: 'name of the identifier',
		values: ['id', '_id', 'uuid', ['messageId', 'messageId for messages, else id']],
	},
	'id-type': {
		words: 'type of the identifier',
		values: [['string', 'text'], 'number'],
	},
	'success-status': {
		words: 'status of a write that succeeded',
		values: [
			['usual', '201 for what was created, 204 for what was deleted, else 200'],
			'200',
			'201',
			'202',
			['204', '204 without a body'],
		],
	},
	'success-body': {
		words: 'body of a write that succeeded',
		values: [
			['record', 'the record'],
			['empty', 'none'],
			['text', 'the text OK'],
		],
	},
	'time-format': {
		words: 'how moments are written',
		values: [
			['iso', 'ISO 8601'],
			['seconds', 'seconds since 1970'],
			['milliseconds', 'ms since 1970'],
			['absent', 'not at all'],
		],
	},
	'error-shape': {
		words: 'body of an error',
		values: [
			['nested', '{ error: { code, message } }'],
			['message', '{ message }'],
			['error', '{ error }'],
			['list', '{ errors: [{ message }] }'],
			['texts', '{ errors: [text] }'],
			['fields', '{ errors: { field: [text] } }'],
			['detail', 'problem details: { title, detail }'],
			['titles', 'JSON:API: { errors: [{ title, detail }] }'],
			['oauth', '{ error, error_description }'],
			['description', '{ errors: [{ code, description }] }'],
			['graph', '{ error: { message, error_data: { details } } }'],
			['service-exception', '{ requestError: { serviceException: { text } } }'],
			['developer', '{ meta: { developer_message } }'],
			['info', '{ result: false, info }'],
			['data', '{ data: { message } }'],
			['array', '[{ message }]'],
			['text', 'plain text'],
			['html', 'the page of a proxy'],
			['xml', 'XML'],
		],
	},
	'error-status': {
		words: 'status of an error',
		values: [
			['http', 'a status of its own'],
			['ok', '200, with success: false in the body'],
		],
	},
	'rate-headers': {
		words: 'how a 429 says when to go on',
		values: [
			['retry-after', 'Retry-After in seconds'],
			['retry-after-date', 'Retry-After as a date'],
			['retry-after-ms', 'Retry-After-Ms'],
			['x-ratelimit-reset', 'X-RateLimit-Reset in Unix seconds'],
			['x-ratelimit-reset-ms', 'X-RateLimit-Reset in Unix ms'],
			['x-rate-limit-reset', 'X-Rate-Limit-Reset in Unix seconds'],
			['ratelimit-reset', 'RateLimit-Reset in seconds'],
			['x-ratelimit-reset-after', 'X-RateLimit-Reset-After in seconds'],
			['ratelimit', 'RateLimit: "default";r=0;t=seconds'],
			['ratelimit-list', 'RateLimit: limit=…, remaining=0, reset=seconds'],
			['body', 'retry_after in the body, seconds'],
			['none', 'not at all'],
		],
	},
	'template-case': {
		words: "how the types of a template's components are written",
		values: [
			['upper', 'BODY'],
			['lower', 'body'],
		],
	},
	'template-variables': {
		words: 'how the variables of a template are called',
		values: [
			['numbered', '{{1}}'],
			['named', '{{first_name}}'],
			['scripts', '{{größe}}, {{ 名前 }}'],
		],
	},
	'template-content': {
		words: 'what a template shows beside its name, language and status',
		values: [
			['shown', 'everything'],
			['hidden', 'its identifier alone'],
		],
	},
	'template-status': {
		words: 'how the approval of a template is written',
		values: [
			['upper', 'APPROVED, PENDING, REJECTED'],
			['quality', 'Active - Quality pending, In review, Rejected'],
			['absent', 'not at all'],
		],
	},
	'template-languages': {
		words: 'how the languages of a template are listed',
		values: [
			['records', 'as a record each'],
			['nested', 'under languages of one record for each name'],
		],
	},
} as const satisfies Record<string, VariationPoint>;
