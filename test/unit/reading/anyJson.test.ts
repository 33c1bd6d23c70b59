/** Whatever JSON a service sends, reading it throws nothing: a raw error would end a run after its messages were sent. */
import fc from 'fast-check';

import { readErrorMessage, isRefusal } from '../../../nodes/BusinessMessaging/reading/readError';
import { readEnvelopes } from '../../../nodes/BusinessMessaging/reading/readEvents';
import { readPaging } from '../../../nodes/BusinessMessaging/reading/readPaging';
import {
	fieldNames,
	readId,
	readList,
	readRecord,
	readTotals,
} from '../../../nodes/BusinessMessaging/reading/readResponse';
import { readSend } from '../../../nodes/BusinessMessaging/reading/readSend';
import { readTemplates } from '../../../nodes/BusinessMessaging/reading/readTemplates';
import { deduplicationKeyOf } from '../../../nodes/BusinessMessaging/webhooks/deduplicationKey';
import { latestTimeOf, simplify } from '../../../nodes/BusinessMessaging/webhooks/simpleEvent';

/** Names of fields that mean something to the nodes, and names that JavaScript gives to each object. */
const names = [
	...['id', 'messageId', 'message', 'messages', 'data', 'status', 'state', 'code', 'success', 'ok'],
	...['error', 'errors', 'errorCode', 'accepted', 'sent', 'result', 'name', 'to', 'from', 'phone'],
	...['contacts', 'templates', 'components', 'type', 'text', 'body', 'parameters', 'language'],
	...['next', 'hasMore', 'cursor', 'page', 'totalPages', 'total', 'meta', 'pagination'],
	...[
		'timestamp',
		'event',
		'events',
		'toString',
		'valueOf',
		'constructor',
		'length',
		'toJSON',
		'then',
	],
];
const { body } = fc.letrec<{ body: unknown }>((tie) => ({
	body: fc.oneof(
		{ maxDepth: 4 },
		fc.constantFrom<unknown>('a', 'failed', 'https://a.test/?page=2', '2030-01-31', '', '7'),
		fc.constantFrom<unknown>(true, false, null, 0, 1, 200, -1, 1.5),
		fc.array(tie('body'), { maxLength: 3 }),
		fc.dictionary(fc.constantFrom(...names), tie('body'), { maxKeys: 4, noNullPrototype: true }),
	),
}));
const record = fc.dictionary(fc.constantFrom(...names), body, {
	maxKeys: 5,
	noNullPrototype: true,
});
const responseOf = (given: unknown) => ({ statusCode: 200, headers: {}, body: given });

test.each<[string, (given: Record<string, unknown>) => unknown]>([
	['to a send', (given) => readSend(responseOf(given))],
	['with an error', (given) => [readErrorMessage(given), isRefusal(given)]],
	['with a list', (given) => [readList(given, 'contact'), readTotals(given, given)]],
	[
		'with a page',
		(given) => readPaging({ ...responseOf(given), url: 'https://a.test/v1/contacts' }),
	],
	['with a record', (given) => [readRecord(given, 'contact'), readId(given), fieldNames(given)]],
	['with a template', readTemplates],
	[
		'with events',
		(given) =>
			[...readEnvelopes(given).events, { event: 'message.received', data: given }].map((event) => [
				...[simplify(event), latestTimeOf(event), deduplicationKeyOf(event, {})],
			]),
	],
])('a response %s', (_, read) => {
	// JavaScript can make neither a text nor a number of this record.
	const strange = { toString: 'a', valueOf: 1 };
	for (const outer of names)
		for (const inner of names)
			for (const id of [{}, { id: '1' }]) read({ ...id, [outer]: { ...id, [inner]: strange } });
	for (const name of names) read({ [name]: strange });
	const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
	fc.assert(
		fc.property(record, (given) => void read(given)),
		{ seed, numRuns: 5_000 },
	);
});
