/**
 * For the mutants of each folder, the test suites that have to notice them. The quick suites come first, because the
 * first failing test ends the run. Suites that mostly wait are left out.
 */
const operations = [
	'engine/operations/everyOperation',
	'engine/operations/inputs',
	'engine/operations/missingValues',
	'engine/operations/readText',
	'engine/operations/results',
	'engine/operations/statistics',
	'engine/operations/template',
	'engine/operations/upsert',
];
const sending = [
	'engine/operations/sendResponses',
	'engine/transport/faults',
	'engine/execution/campaign',
	'engine/execution/fallback',
	'engine/execution/audience',
	'engine/execution/preview',
];
const receiving = [
	'engine/trigger/deliveries',
	'engine/trigger/duplicates',
	'engine/trigger/filters',
	'engine/trigger/webhookSecret',
	'engine/trigger/signatures',
	'engine/trigger/lostSecret',
	'engine/webhooks/ownUrls',
	'engine/webhooks/deduplicationKey',
	'engine/webhooks/senders',
	'engine/webhooks/texts',
];
const transport = [
	'engine/transport/serviceConfig',
	'engine/transport/lists',
	'engine/transport/endOfLists',
	'engine/transport/errors',
	'engine/transport/responses',
	'engine/transport/client',
	'engine/transport/redirects',
	'engine/transport/registerWebhook',
	'engine/transport/throttle',
	'engine/credentials/credential',
	'engine/security/credential',
	'engine/transport/rate',
];
const replies = [
	'engine/reply/asking',
	'engine/reply/answering',
	'engine/reply/requests',
	'engine/reply/late',
];

export const suitesOf: Record<string, string[]> = {
	api: ['unit/api/endpoints', ...transport.slice(0, 4), ...operations, ...receiving],
	reading: [
		'unit/reading/parseJson',
		'unit/reading/readResponse',
		...transport.slice(0, 4),
		...operations,
		...sending,
		...receiving,
	],
	phone: [
		'unit/phone/library',
		'engine/execution/sendWindow',
		'engine/operations/inputs',
		...receiving,
	],
	transport: [...transport, ...operations, ...sending.slice(1)],
	operations: [
		'unit/templateReview',
		...operations,
		...sending,
		'engine/editor/templates',
		...replies.slice(0, 2),
		'engine/operations/upsertMoves',
	],
	execution: [
		'unit/entryStore',
		'unit/inTurns',
		'engine/execution/sendWindow',
		'engine/execution/expressions',
		...operations,
		...sending,
		'engine/execution/rounds',
		'engine/execution/sendOnce',
		'unit/simulation/claims',
	],
	editor: ['engine/editor/templates', 'engine/editor/groups', 'engine/security/secrets'],
	webhooks: [
		'unit/memory',
		'unit/webhooks/delivery',
		'unit/webhooks/registrations',
		...receiving,
		'engine/trigger/lifecycle',
		'engine/trigger/addresses',
		'engine/transport/registerWebhook',
	],
	trigger: [...receiving, 'engine/trigger/lifecycle', 'engine/trigger/collect'],
	inbox: [
		'unit/inbox/decisions',
		'unit/inbox/handOver',
		'unit/inbox/memory',
		'unit/inbox/merge',
		'unit/inbox/size',
		'engine/reply/approval',
		'engine/webhooks/texts',
		...replies,
		'engine/security/secrets',
		'engine/reply/inbox',
		'unit/simulation/inboxAbsence',
		'unit/simulation/inbox',
	],
	shared: ['unit/inTurns', 'unit/memory', ...operations, ...sending],
};
