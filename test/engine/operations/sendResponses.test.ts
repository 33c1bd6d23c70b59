/** What counts as sent, for any response to a send with a status from 200 to 299. */
import fc from 'fast-check';

import { type Answer, clientOf } from '../../../harness/engine/functionService';
import { campaign, numbers, people, useService } from '../../../harness/engine/service';
import { endpoints } from '../../../nodes/BusinessMessaging/api/endpoints';
import { sendMessage } from '../../../nodes/BusinessMessaging/operations/sending/sendMessage';
import { asFailure } from '../../../nodes/BusinessMessaging/transport/errors';

const service = useService();
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** What becomes of one message for each of these responses, without HTTP. */
async function outcomesOf(responses: Answer[]): Promise<Array<Record<string, unknown>>> {
	const { client } = clientOf((_, times) => ({ body: '', ...responses[times - 1] }));
	const outcomes = [];
	for (const index of responses.keys()) {
		const [to] = numbers(1);
		const request = { body: { to, text: `Hi ${index}` } };
		const outcome = await sendMessage(client, endpoints.sendText, request).catch(asFailure);
		const [result] = [outcome].flat();
		outcomes.push({ ...result, sendStatus: result.sendStatus });
	}
	return outcomes;
}

/** Sends one message over HTTP for each of these responses. @returns the result of each message */
async function outputsOf(responses: Answer[], own: object = {}) {
	const items = people(responses.length);
	for (const [index, { status = 200, body = '', headers }] of responses.entries())
		service.fault({
			...{ endpoint: 'sendText', status, body },
			...(headers && { headers: headers as Record<string, string> }),
			match: numbers(responses.length)[index],
		});
	const parameters = { ...campaign, ...own };
	const { outputs } = await service.run({ parameters, items, onError: 'continueRegularOutput' });
	return outputs[0].map(({ json }) => json);
}

const failed = { id: 'm1', status: 'failed', error: 'Insufficient credit' };
const listOf = (...bodies: unknown[]): Answer[] => bodies.map((body) => ({ body }));

const refusals = listOf(
	{ error: true, message: 'Insufficient credit' },
	{ status: 'failed' },
	{ success: 0 },
	{ IsSuccess: 'False' },
	{ code: 'NO_CREDIT' },
	{ error_code: '402', to: '+1' },
	{ code: 402, message: 'Payment required' },
	{ error: 'Insufficient credit', data: null },
	{ errors: { to: ['is not a phone number'] } },
	{ sent: false, error: 'No credit' },
	{ sent: 0, failed: 1 },
	{ meta: { success: false }, data: { id: 'm1' } },
	{ header: { isSuccessful: false, resultCode: -4012 }, body: { id: 'm1' } },
	{ id: 'm1', accepted_count: 0, rejected_count: 1 },
	{ id: 'm1', queued: 0, invalid: ['+15550001000'] },
	{ id: 'm1', status: 'suppressed' },
	{ id: 'm1', state: 'opted_out' },
	{ outcome: { kind: 'failure' }, id: 'm1' },
	{ id: 'm1', result: { name: 'REJECTED', groupName: 'REJECTED' } },
	{ result: { id: 'm1', name: 'Anna', status: 'rejected' } },
	{ result: { id: 7, groupName: 'REJECTED', name: 'REJECTED_NETWORK' } },
	failed,
	{ data: failed },
	[failed],
	'NO_CREDIT',
	402,
	false,
);

const uncertain = listOf(
	{ statusCode: 200, message: 'Insufficient credit' },
	{ id: 'm_77', state: 'QUEUED_LOW_PRIORITY' },
	{ id: 'm1', status: 'pending, not delivered yet' },
	{},
	[],
	null,
	'',
	0,
	'Thank you',
	'error: no credit',
	'ERR_1001',
	{ message: 'NO_CREDIT' },
	{ to: '+15550001000', text: 'Sent with love' },
	{ status: 200 },
	{ id: 'm1', status: 'strange', sent: false },
	{ id: 'm1', code: 1000, message: 'Your payment failed' },
	{ id: null },
	{ requestId: 'r1' },
	{ contact: { id: 'c1', status: 'sent' } },
	{ error: { code: 500, message: 'Internal error' } },
	{ id: 'm1', status: 'timeout' },
	{ data: { status: 'PENDING_ENROUTE' } },
	{ Status: 'REJECTED_NETWORK' },
	{ success: true, error: 'Insufficient credit' },
	{ success: true, data: failed },
	{ ok: true, message: { id: 'm1', status: 'undelivered' } },
	{ status: 'queued', success: false },
	{ success: false, message: 'Duplicate: already accepted' },
);

const acceptances: Array<[messageId: string | null, Answer]> = [
	['m1', { body: { id: 'm1' } }],
	['77', { body: { id: 77 } }],
	['m1', { body: { _id: 'm1' } }],
	['m1', { body: { Message_ID: 'm1' } }],
	['m1', { body: { requestId: 'r1', messageUuid: 'm1' } }],
	['m1', { body: { data: { id: 'm1' }, id: 'r1' } }],
	['m1', { body: [{ id: 'm1' }] }],
	['m1', { body: { messages: [{ id: 'm1' }], contacts: [{ wa_id: '1' }] } }],
	['m1', { body: { message: { id: 'm1' } } }],
	['m1', { body: { sendSmsResponse: { result: { smsId: 'm1' } } } }],
	['m1', { body: { data: { type: 'message', id: 'm1', attributes: { status: 'queued' } } } }],
	['m1', { body: { id: 'm1', error: null, errorCode: 0, errors: [], errorMessage: '' } }],
	['m1', { body: { id: 'm1', error: { code: 0, message: 'No error' } } }],
	['m1', { body: { id: 'm1', status: 'queued', delivered: false } }],
	['m1', { body: { id: 'm1', contact: { id: 'c1', status: 'blocked' } } }],
	['m1', { body: { id: 'm1', code: 0, message: 'Your payment failed' } }],
	['m1', { body: { ErrorCode: '000', ErrorMessage: 'Done', MessageData: [{ MessageId: 'm1' }] } }],
	['m_77', { body: 'm_77' }],
	['77', { body: 77 }],
	['m_77', { body: '', status: 201, headers: { location: '/v1/messages/m_77' } }],
	['seventh', { status: 200, headers: { location: 'https://a.test/messages/seventh?a=1' } }],
	['m_77', { status: 202, headers: { 'x-message-id': 'm_77' } }],
	['m1', { body: { result: { id: 'm1', name: 'Anna Ko' } } }],
	[null, { body: { success: true } }],
	[null, { body: { Success: 'TRUE' } }],
	[null, { body: { success: 1, data: {} } }],
	[null, { body: { ok: true } }],
	[null, { body: { status: 'queued' } }],
	[null, { body: { status: 'OK', message: 'Your payment failed' } }],
	[null, { body: { data: { status: 'PENDING' } } }],
	[null, { body: { code: 0 } }],
	[null, { body: { error: false } }],
	[null, { body: { result: 'Sent' } }],
	[null, { body: { message: 'success' } }],
	[null, { body: { sent: 1, failed: 0 } }],
	[null, { body: { queued: true } }],
	[null, { body: 'OK' }],
	[null, { body: true }],
	[null, { status: 204 }],
	[null, { status: 202 }],
];

const shown = (responses: Answer[], outcomes: Array<Record<string, unknown>>, keys: string[]) =>
	responses.map((response, n) => [response, ...keys.map((key) => outcomes[n][key])]);

test('a response that says no is a refusal: nothing was sent, whatever else it contains', async () => {
	const outcomes = await outcomesOf(refusals);
	expect(shown(refusals, outcomes, ['sendStatus'])).toEqual(
		refusals.map((response) => [response, 'notSent']),
	);
});

test('a response that says neither yes nor no, or both, may have been sent', async () => {
	const outcomes = await outcomesOf(uncertain);
	expect(shown(uncertain, outcomes, ['sendStatus'])).toEqual(
		uncertain.map((response) => [response, 'mayHaveBeenSent']),
	);
});

test('a message counts as sent if the response has an ID or a clear yes', async () => {
	const responses = acceptances.map(([, response]) => response);
	const outcomes = await outcomesOf(responses);
	expect(shown(responses, outcomes, ['sendStatus', 'messageId'])).toEqual(
		acceptances.map(([messageId, response]) => [response, 'sent', messageId]),
	);
});

test('the output says what each response means, and an error what the service said', async () => {
	const outputs = await outputsOf([
		{ body: { error: true, message: 'Insufficient credit' } },
		{ body: { statusCode: 200, message: 'Insufficient credit' } },
		{ body: { id: 'm1', state: 'QUEUED_LOW_PRIORITY' } },
		{ body: { messages: [{ id: 'm1' }] } },
		{ body: 'm_77' },
		{ status: 201, headers: { location: '/v1/messages/m_77' } },
		{ status: 204 },
	]);
	const refused = 'The service refused the request';
	const message = 'The service did not confirm that it accepted the message';
	expect(outputs.map(({ sendStatus, messageId }) => [sendStatus, messageId])).toEqual([
		['notSent', null],
		['mayHaveBeenSent', null],
		['mayHaveBeenSent', null],
		['sent', 'm1'],
		['sent', 'm_77'],
		['sent', 'm_77'],
		['sent', null],
	]);
	expect(outputs.slice(0, 3).map(({ reason }) => reason)).toEqual([
		`${refused}: Insufficient credit (HTTP 200)`,
		`${message}: Insufficient credit (HTTP 200)`,
		`${message}: state: QUEUED_LOW_PRIORITY (HTTP 200)`,
	]);
	expect(outputs[1].details).toMatchObject({
		description: expect.stringContaining('has the fields: statusCode, message.'),
	});
});

describe("the customer's own text in a response that accepts the message changes nothing", () => {
	const texts = [
		...['Your order is not ready yet', 'not', 'failed', 'Cancelled.', 'error', 'Timeout'],
		'https://www.posten.no/abc',
	];
	const accepted = acceptances.flatMap(([, { body }]) =>
		typeof body === 'object' && !Array.isArray(body) ? [body as object] : [],
	);
	const records = ['data', 'payload', 'result', 'sendResult', 'response', 'message'];
	const lists = ['messages', 'results', 'recipients', 'items'];
	const envelopes: Array<[string, (record: object) => unknown]> = [
		['without an envelope', (record) => record],
		...records.map((name): (typeof envelopes)[0] => [`in ${name}`, (one) => ({ [name]: one })]),
		...lists.map((name): (typeof envelopes)[0] => [`in ${name}`, (one) => ({ [name]: [one] })]),
	];

	// Each envelope combines the texts and responses in another way.
	test.each(envelopes.map(([name, wrap], shift) => [name, wrap, shift] as const))(
		'%s',
		async (_, wrap, shift) => {
			const echoes = ['text', 'message'].flatMap((field) =>
				accepted
					.map((record, n) => ({ [field]: texts[(n + shift) % texts.length], ...record }))
					.map(wrap),
			);
			const outcomes = await outcomesOf(listOf(...echoes));
			expect(echoes.filter((__, n) => outcomes[n].sendStatus !== 'sent')).toEqual([]);
		},
	);
});

test(`a record with an ID is the message: its own texts mean nothing (TEST_SEED=${seed})`, async () => {
	const name = fc.constantFrom('result', 'sendResult', 'messageResult', 'send_response');
	const id = fc.constantFrom('id', 'messageId', 'sid');
	const words = [
		'order_cancelled',
		'Ko',
		'REJECTED',
		'not yet delivered',
		'timeout',
		'failed',
		402,
	];
	const texts = fc.dictionary(
		fc.constantFrom('name', 'description', 'value', 'text'),
		fc.constantFrom(...words),
		{ minKeys: 1 },
	);
	const outside = fc.constantFrom<object>({}, { success: true }, { status: 'queued' });
	const said = fc.constantFrom<object>({}, { status: 'queued' });
	const one = fc.tuple(name, id, texts, outside, said).map(([key, idKey, own, around, inside]) => ({
		body: { ...around, [key]: { [idKey]: 'm1', ...inside, ...own } },
	}));
	const responses = fc.sample(one, { numRuns: 200, seed });
	const outcomes = await outcomesOf(responses);
	expect(responses.filter((_, n) => outcomes[n].sendStatus !== 'sent')).toEqual([]);
});

describe('whatever JSON comes', () => {
	const names = fc.constantFrom(
		...[
			'id',
			'messageId',
			'message',
			'data',
			'status',
			'state',
			'code',
			'success',
			'Success',
			'ok',
		],
		...['error', 'errors', 'errorCode', 'accepted', 'sent', 'queued', 'result', 'messages', 'to'],
		...['text', 'requestId', 'contact', 'name', 'details', 'toString'],
	);
	const says = fc.constantFrom<unknown>(
		...['queued', 'sent', 'failed', 'OK', 'NO_CREDIT', 'm_1', 'none', '', 'false', 'true'],
		...['0', '1'],
		...[true, false, null, 0, 1, 2, 200, 402, 500, -1, [], {}],
	);
	// Random texts such as "$Ok?", " 8" and "06", names such as "I_D" and "eR!r", and numbers such as 0.01, which may be an ID.
	const meansByChance =
		/__proto__|o[\W_]*k|i[\W_]*d|e[\W_]*r[\W_]*r|f[\W_]*a[\W_]*i[\W_]*l|"(\s+\d|0[\d\s])|\b0\.\d|\de-\d/i;
	const { body } = fc.letrec<{ body: unknown }>((tie) => ({
		body: fc.oneof(
			{ maxDepth: 3, withCrossShrink: true },
			says,
			fc.jsonValue({ maxDepth: 2 }).filter((one) => !meansByChance.test(JSON.stringify(one))),
			fc.array(tie('body'), { maxLength: 2 }),
			fc.dictionary(names, tie('body'), { maxKeys: 4 }),
		),
	}));
	const status = fc.constantFrom(200, 200, 201, 202, 206, 299);

	/** Sends texts as JSON too; otherwise they would be sent as they are. */
	const asJson = ({ body: json, status: code }: Answer): Answer => ({
		body: JSON.stringify(json),
		status: code,
		headers: { 'content-type': 'application/json' },
	});

	/**
	 * Judges without the nodes' rules: whether JSON has a field named like an ID with a value, or a word, boolean or
	 * number that may mean yes.
	 */
	const mayMeanYes = (json: string) =>
		/id":("[^"]|[1-9])|true|"[^\w"]*(queued|sent|ok|yes|y|on)[^\w"]*"(?!:)|"(success|ok|accepted|sent|queued)":"?[1-9]/i.test(
			json,
		) ||
		/"error\w*":"?(false|0)|^"?\s*[\w.:@+/=-]*[1-9]/i.test(json) ||
		/"code":(\[([^\]]*[,[])?)?"?0/i.test(json) || // also as one of several codes
		/"(success|ok|accepted|sent|queued)":\[[^\]]/i.test(json) || // a list of what was accepted
		// Only an ID, in which all digits may be 0.
		/^"\s*(?=[\w.:@+/=-]*\d)[\w.:@+/=-]{2,}\s*"$/.test(json);
	/** Random responses without anything that may mean yes. */
	const silent = fc
		.dictionary(
			fc.constantFrom('to', 'text', 'status', 'message', 'data', 'error', 'Success', 'name'),
			fc.constantFrom<unknown>('strange', 'failed', '', false, 'false', null, [], {}, { a: [] }),
		)
		.filter((one) => !mayMeanYes(JSON.stringify(one)));

	test(`an item is sent only if the response has an ID or says yes (TEST_SEED=${seed})`, async () => {
		const responses = fc.array(fc.record({ body, status }), { minLength: 60, maxLength: 60 });
		const property = fc.asyncProperty(responses, async (list) => {
			const outcomes = await outcomesOf(list.map(asJson));
			list.forEach((response, index) => {
				const { sendStatus, messageId } = outcomes[index];
				expect(['sent', 'notSent', 'mayHaveBeenSent']).toContain(sendStatus);
				const json = JSON.stringify(response.body);
				if (sendStatus === 'sent' && !mayMeanYes(json)) throw new Error(`${json} counts as sent`);
				const inJson = JSON.stringify(messageId ?? '').slice(1, -1); // the ID as JSON writes it
				if (!json.includes(inJson)) throw new Error(`${json} does not contain the ID ${inJson}`);
			});
		});
		await fc.assert(property, { numRuns: 12, seed, endOnFailure: true });
	});

	test(`a message is refused or uncertain if the response contains a no (TEST_SEED=${seed})`, async () => {
		const no = fc.constantFrom<Record<string, unknown>>(
			...[{ status: 'failed' }, { error: 'No credit' }, { Success: 'false' }],
			...[{ errorCode: 402 }, { accepted: false }, { code: 'NO_CREDIT' }],
		);
		const fields = fc.dictionary(names, body, { maxKeys: 4 });
		const one = fc.tuple(fields, no).map(([own, added]) => ({ body: { ...own, ...added } }));
		const property = fc.asyncProperty(
			fc.array(one, { minLength: 60, maxLength: 60 }),
			async (list) => {
				const outcomes = await outcomesOf(list);
				const wrong = list.filter((_, index) => outcomes[index].sendStatus === 'sent');
				expect(wrong).toEqual([]);
			},
		);
		await fc.assert(property, { numRuns: 8, seed, endOnFailure: true });
	});

	test(`a message does not count as sent if the response nowhere says yes (TEST_SEED=${seed})`, async () => {
		const list = fc.sample(silent, { numRuns: 60, seed }).map((one) => ({ body: one }));
		const outcomes = await outcomesOf(list);
		expect(outcomes.filter(({ sendStatus }) => sendStatus === 'sent')).toEqual([]);
	});
});

describe('Send Once', () => {
	const spring = { sendOnce: true, campaign: 'Spring' };

	test('the next run sends only to people whose message was refused with 200', async () => {
		const no = { body: { error: true, message: 'Insufficient credit' } };
		await outputsOf([no, { body: {} }, { body: { id: 'm1' } }], spring);
		service.sandbox.reset();
		const items = people(3);
		const { outputs } = await service.run({ parameters: { ...campaign, ...spring }, items });
		expect(outputs[0].map(({ json }) => [json.sendStatus, json.reason])).toEqual([
			['sent', null],
			['skipped', 'mayHaveBeenSent'],
			['skipped', 'alreadySent'],
		]);
		expect(service.received()).toEqual({ '+15550001000': 1 });
	});
});

test('a retry repeats a message that was refused with 200, but no uncertain one', async () => {
	service.fault({ endpoint: 'sendText', status: 200, body: { code: 'NO_CREDIT' } });
	const refused = await service.run({ parameters: campaign, items: people(1) });
	expect(refused.status).toBe('error');
	expect((await service.retry(refused)).status).toBe('success');
	expect(service.received()).toEqual({ '+15550001000': 1 });
	service.fault({ endpoint: 'sendText', status: 200, body: {} });
	const uncertain = await service.run({ parameters: campaign, items: people(1, 1001) });
	expect((await service.retry(uncertain)).error?.context?.sendStatus).toBe('mayHaveBeenSent');
	expect(service.calls('sendText')).toBe(3);
});
