/**
 * What the specification leaves open, and how services could behave: one entry for each variation point. A value is a name,
 * or a name with what it stands for; the first one is what the sandbox does by itself. docs/api-assumptions.md says where
 * they come from.
 */
const answerPoints = {
	'api-path': {
		words: 'which API path is served',
		values: ['both', 'v1: {host}/v1 only', 'api-v1: {host}/api/v1 only'],
	},
	endpoints: {
		words: 'which endpoints an API path has',
		values: ['listed: those that the specification lists for it', 'all: all of them'],
	},
	'update-method': {
		words: 'how a contact is updated',
		values: ['listed: as the specification lists it for the API path', 'patch', 'put'],
	},
	'missing-status': {
		words: 'answer to what an API path does not list',
		values: ['usual: 405 where another method is listed, else 404', '404', '405'],
	},
	'record-envelope': {
		words: 'where a single record stands',
		values: [
			'bare: the answer is the record',
			'data: under data',
			'named: under the name of the resource',
			'listed: alone in a list under the name of the resource',
		],
	},
	'id-key': {
		words: 'name of the identifier',
		values: [
			'id',
			'_id',
			'uuid',
			'messageId: messageId for messages, else id',
			'snake: contact_id, template_id and so on',
			'camel: contactId, templateId and so on',
		],
	},
	'id-type': { words: 'type of the identifier', values: ['string: text', 'number'] },
	'phone-numbers': {
		words: 'how phone numbers are written',
		values: ['e164: +15551234567', 'digits: 15551234567'],
	},
	'success-status': {
		words: 'status of a write that succeeded',
		values: [
			'usual: 201 for what was created, 204 for what was deleted, else 200',
			'200',
			'201',
			'202',
			'204: 204 without a body',
		],
	},
	'success-body': {
		words: 'body of a write that succeeded',
		values: ['record: the record', 'empty: none', 'text: the text OK'],
	},
	'time-format': {
		words: 'how moments are written',
		values: [
			'iso: ISO 8601',
			'seconds: seconds since 1970',
			'milliseconds: ms since 1970',
			'absent: not at all',
		],
	},
	'error-shape': {
		words: 'body of an error',
		values: [
			'nested: { error: { code, message } }',
			'message: { message }',
			'error: { error }',
			'list: { errors: [{ message }] }',
			'texts: { errors: [text] }',
			'fields: { errors: { field: [text] } }',
			'detail: problem details, { title, detail }',
			'titles: JSON:API, { errors: [{ title, detail }] }',
			'oauth: { error, error_description }',
			'description: { errors: [{ code, description }] }',
			'graph: { error: { message, error_data: { details } } }',
			'service-exception: { requestError: { serviceException: { text } } }',
			'developer: { meta: { developer_message } }',
			'info: { result: false, info }',
			'data: { data: { message } }',
			'array: [{ message }]',
			'text: plain text',
			'html: the page of a proxy',
			'xml: XML',
		],
	},
	'error-status': {
		words: 'status of an error',
		values: ['http: a status of its own', 'ok: 200, with success: false in the body'],
	},
	'rate-headers': {
		words: 'how a 429 says when to go on',
		values: [
			'retry-after: Retry-After in seconds',
			'retry-after-date: Retry-After as a date',
			'retry-after-ms: Retry-After-Ms',
			'x-ratelimit-reset: X-RateLimit-Reset in Unix seconds',
			'x-ratelimit-reset-ms: X-RateLimit-Reset in Unix ms',
			'x-rate-limit-reset: X-Rate-Limit-Reset in Unix seconds',
			'ratelimit-reset: RateLimit-Reset in seconds',
			'x-ratelimit-reset-after: X-RateLimit-Reset-After in seconds',
			'ratelimit: RateLimit: "default";r=0;t=seconds',
			'ratelimit-list: RateLimit: limit=…, remaining=0, reset=seconds',
			'body: retry_after in the body, seconds',
			'none: not at all',
		],
	},
	'template-case': {
		words: "how the types of a template's components are written",
		values: ['upper: BODY', 'lower: body'],
	},
	'template-variables': {
		words: 'how the variables of a template are called',
		values: ['numbered: {{1}}', 'named: {{first_name}}', 'scripts: {{größe}}, {{ 名前 }}'],
	},
	'template-content': {
		words: 'what a template shows beside its name, language and status',
		values: ['shown: everything', 'hidden: its identifier alone'],
	},
	'template-status': {
		words: 'how the approval of a template is written',
		values: [
			'upper: APPROVED, PENDING, REJECTED',
			'quality: Active - Quality pending, In review, Rejected',
			'absent: not at all',
		],
	},
	'template-languages': {
		words: 'how the languages of a template are listed',
		values: ['records: as a record each', 'nested: under languages of one record for each name'],
	},
} as const;

const listPoints = {
	'page-base': { words: 'number of the first page', values: ['1', '0'] },
	'page-size': {
		words: 'what becomes of `limit`',
		values: [
			'capped: cut to the greatest page size',
			'honoured: taken up to 1,000',
			'refused: refused above the greatest page size',
			'ignored',
		],
	},
	paging: {
		words: 'how the next page of a list is asked for',
		values: [
			'pages: by its number',
			'none: there is only one; `limit` and `page` are ignored',
			'next: with the cursor under next, as all below; a bare list shows it in the Link header',
			'next_cursor: under next_cursor',
			'cursor.next: under cursor.next',
			'links.next: as an address under links.next',
			'link: in the Link header',
		],
	},
	'last-page': {
		words: 'what comes beyond the last page',
		values: [
			'empty: an empty page',
			'not-found: 404',
			'bad-request: 422',
			'repeated: the last page again',
			'first: the first page again',
		],
	},
	'refused-pages': {
		words: 'which pages are refused with 422',
		values: ['none', 'deep: all beyond the second', 'transient: the second one, once'],
	},
	'page-metadata': {
		words: 'what a page says of itself',
		values: [
			'flat: page, limit and total beside the records',
			'nested: the same under meta',
			'text: the same as text',
			'header: X-Total-Count',
			'absent: nothing',
		],
	},
	'list-envelope': {
		words: 'where the records of a list stand',
		values: [
			'data: under data',
			'bare: the answer is the list',
			'items: under items',
			'results: under results',
			'named: under the name of the resource',
			'nested: under data.items',
			'embedded: under _embedded and the name of the resource',
		],
	},
	'list-changes': {
		words: 'what happens to the contacts while they are listed',
		values: [
			'none: nothing',
			'added: one is added in front',
			'removed: the first one is removed',
			'moved: the last one moves to the front, as in a list sorted by activity',
		],
	},
} as const;

const eventPoints = {
	'webhook-url': {
		words: 'name of the field for the address of a webhook',
		values: ['url', 'callbackUrl', 'callback_url', 'webhookUrl', 'webhook_url', 'endpoint'],
	},
	'webhook-events': {
		words: 'how the events of a webhook are given',
		values: [
			'array: as a list',
			'string: as a text with commas',
			'absent: not at all, everything is delivered',
		],
	},
	'event-names': {
		words: 'an event that the service does not have',
		values: ['any: is registered', 'known: is refused with 422'],
	},
	'webhook-answer': {
		words: 'answer to a registration',
		values: ['record: the webhook with its identifier', 'nameless: success: true'],
	},
	'webhook-challenge': {
		words: 'whether an address is called before it is registered',
		values: [
			'none: no',
			'get: GET with ?challenge=…, which has to come back',
			'hub: GET with hub.mode, hub.verify_token and hub.challenge, which has to come back',
			'ping: GET, which has to be answered with 200',
			'post: POST of { type: url_verification, challenge }, which has to come back',
		],
	},
	'webhook-duplicates': {
		words: 'a second webhook with the same address',
		values: ['allowed: is registered', 'refused: is refused with 409'],
	},
	'event-envelope': {
		words: 'what stands beside event and data',
		values: [
			'plain: nothing',
			'extended: identifier, time, version, account and number of the attempt',
		],
	},
	'event-batch': {
		words: 'how many events a delivery has',
		values: [
			'single: one',
			'array: a list with the one before it once more',
			'wrapped: the same under events',
		],
	},
	'event-text': {
		words: "where a customer's text stands",
		values: [
			'flat: data.text',
			'body: data.text.body',
			'nested: data.message.text',
			'content: data.message.content.text',
		],
	},
	'receipt-names': {
		words: 'how the delivery receipts are named',
		values: [
			'dotted: message.delivered',
			'underscored: message_delivered',
			'camel: messageDelivered',
			'upper: MESSAGE_DELIVERED',
			'bare: delivered',
			'status: message.status with data.status',
			'update: message.updated with data.status in upper case',
			'receipt: delivery_receipt with data.status',
			'nested: message.status with data.message.status',
		],
	},
} as const;

/** All variation points by name. */
export const variationPoints = { ...answerPoints, ...listPoints, ...eventPoints };
