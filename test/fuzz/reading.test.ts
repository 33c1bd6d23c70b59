/** Whatever JSON a service sends, reading it throws nothing: a raw error would end a run after its messages were sent. */
import fc from 'fast-check';

import { anyRecord, fieldNamesWithMeaning as names, strangeRecord } from '../../harness/anyJson';
import { readErrorMessage, isRefusal } from '../../nodes/BusinessMessaging/reading/readError';
import { readEnvelopes } from '../../nodes/BusinessMessaging/reading/readEvents';
import { readPaging } from '../../nodes/BusinessMessaging/reading/readPaging';
import {
	fieldNames,
	readId,
	readList,
	readRecord,
	readTotals,
} from '../../nodes/BusinessMessaging/reading/readResponse';
import { readSend } from '../../nodes/BusinessMessaging/reading/readSend';
import { readTemplates } from '../../nodes/BusinessMessaging/reading/readTemplates';
import { deduplicationKeyOf } from '../../nodes/BusinessMessaging/webhooks/deduplicationKey';
import {
	latestTimeOf,
	readEvent,
	simplify,
} from '../../nodes/BusinessMessaging/webhooks/simpleEvent';

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
				...[simplify(event), latestTimeOf(readEvent(event)), deduplicationKeyOf(event, {})],
			]),
	],
])('a response %s', (_, read) => {
	for (const outer of names)
		for (const inner of names)
			for (const id of [{}, { id: '1' }])
				read({ ...id, [outer]: { ...id, [inner]: strangeRecord } });
	for (const name of names) read({ [name]: strangeRecord });
	const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
	fc.assert(
		fc.property(anyRecord, (given) => void read(given)),
		{ seed, numRuns: 5_000 },
	);
});
