/** Random JSON that a service could send, made of what means something to the nodes. */
import fc from 'fast-check';

/** Names of fields that mean something to the nodes, and names that JavaScript gives to each object. */
export const fieldNamesWithMeaning = [
	...['id', 'messageId', 'message', 'messages', 'data', 'status', 'state', 'code', 'success', 'ok'],
	...['error', 'errors', 'errorCode', 'accepted', 'sent', 'result', 'name', 'to', 'from', 'phone'],
	...['contacts', 'templates', 'components', 'type', 'text', 'body', 'parameters', 'language'],
	...['conversations', 'webhooks', 'url', 'secret', 'token', 'variables', 'category', 'example'],
	...['next', 'hasMore', 'cursor', 'page', 'totalPages', 'total', 'meta', 'pagination', 'items'],
	...['timestamp', 'event', 'events', 'toString', 'valueOf', 'constructor', 'length', 'toJSON'],
	'then',
];
const texts = [
	...['a', 'failed', 'https://a.test/?page=2', '2030-01-31', '', '7', 'welcome', 'en_US'],
	...['APPROVED', 'BODY', 'Hi {{1}}', 'HEADER', 'DOCUMENT', '+15550001001'],
];

/** JavaScript can make neither a text nor a number of this record. */
export const strangeRecord = { toString: 'a', valueOf: 1 };

/** Any JSON value. */
export const { anyJson } = fc.letrec<{ anyJson: unknown }>((tie) => ({
	anyJson: fc.oneof(
		{ maxDepth: 4 },
		fc.constantFrom<unknown>(...texts),
		fc.constantFrom<unknown>(true, false, null, 0, 1, 200, -1, 1.5, strangeRecord),
		fc.array(tie('anyJson'), { maxLength: 3 }),
		fc.dictionary(fc.constantFrom(...fieldNamesWithMeaning), tie('anyJson'), {
			maxKeys: 4,
			noNullPrototype: true,
		}),
	),
}));

/** Any JSON object. */
export const anyRecord = fc.dictionary(fc.constantFrom(...fieldNamesWithMeaning), anyJson, {
	maxKeys: 5,
	noNullPrototype: true,
});

/** Any list of JSON objects. */
export const anyList = fc.array(anyRecord, { maxLength: 3 });

/** The body of any response. */
export const anyBody = fc.oneof(anyRecord, anyList, fc.record({ data: anyList }), anyJson);

/** Words of JavaScript, which say nothing to users. */
export const rawWords =
	/Cannot (?:read|convert|set|destructure)|is not (?:a function|iterable)|undefined|BigInt|native code|\[object|Maximum call/;
