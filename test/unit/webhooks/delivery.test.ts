/** Reading a delivery, and whether the service has got a response that says that it succeeded. */
import { setTimeout as delay } from 'node:timers/promises';
import type { IWebhookFunctions } from 'n8n-workflow';

import { RecentEvents } from '../../../nodes/BusinessMessaging/webhooks/recentEvents';
import {
	hasSucceeded,
	readDelivery,
	readEvents,
} from '../../../nodes/BusinessMessaging/webhooks/delivery';

type Response = Parameters<typeof hasSucceeded>[0];
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
const responseOf = (statusCode: number, writableEnded = true) =>
	({ statusCode, writableEnded }) as Mutable<Response>;

/** Makes a second take a millisecond. */
function speedUpClock(): void {
	const now = performance.now.bind(performance);
	const start = now();
	jest.spyOn(performance, 'now').mockImplementation(() => start + 1_000 * (now() - start));
}

test.each([
	[200, true],
	[299, true],
	[300, false],
	[503, false],
])(
	'a response with %d counts as a success: %s, also if it ends later',
	async (status, expected) => {
		expect(await hasSucceeded(responseOf(status), 0)).toBe(expected);
		const late = responseOf(status, false);
		const result = hasSucceeded(late, 60_000);
		await delay(20);
		late.writableEnded = true;
		expect(await result).toBe(expected);
	},
);

test('a response that has not ended in time is no success', async () => {
	speedUpClock();
	expect(await hasSucceeded(responseOf(200, false), 20_000)).toBe(false);
});

test('events that are handed over to another delivery are taken only when that one has succeeded', async () => {
	const [first, second, third] = [1, 2, 3].map(() => responseOf(200, false));
	const events = new RecentEvents();
	const key = 'a'.repeat(11);
	expect(await events.recognize(first, key)).toBe('new');
	events.handOver(first, second);
	first.writableEnded = true;
	speedUpClock();
	expect(await events.recognize(third, key)).toBe('underWay');
	second.writableEnded = true;
	expect(await events.recognize(third, key)).toBe('taken');
});

/** A request whose body can be read once; n8n parses it if it knows the type, and reads no raw body of a form with files. */
function requestOf(body: string, contentType: string | undefined, isRead: boolean) {
	const request = {
		contentType,
		rawBody: isRead ? Buffer.from(body) : undefined,
		readRawBody: async () => {
			if (isRead || contentType?.startsWith('multipart/')) throw new Error('The body was read');
			request.rawBody = Buffer.from(body);
		},
	};
	return {
		getRequestObject: () => request,
		getHeaderData: () => ({ 'x-own': '1' }),
	} as unknown as IWebhookFunctions;
}

test.each<[string, string | undefined, boolean, string]>([
	['JSON that n8n has read', 'application/json', true, 'body'],
	['a type that n8n does not read', 'application/cloudevents', false, 'body'],
	['no type', undefined, false, 'body'],
	['a form with files', 'multipart/form-data; boundary=x', false, ''],
])('reads the body once: %s', async (_, contentType, isRead, expected) => {
	const { headers, rawBody } = await readDelivery(requestOf('body', contentType, isRead));
	expect([headers, String(rawBody)]).toEqual([{ 'x-own': '1' }, expected]);
});

const event = { event: 'message.read', data: { id: 'm1' } };
const otherEvent = { event: 'message.sent', data: { id: 'm2' } };
const lineAbout = (others: number) =>
	`The service delivered entries that are not events. They were left out: ${others}. An event needs "event" (text) and "data" (object).`;

test.each<[string, string, object, object[] | undefined, string[]]>([
	['JSON, also if n8n has read it otherwise', JSON.stringify(event), otherEvent, [event], []],
	['a form, as n8n has read it', 'event=message.sent', otherEvent, [otherEvent], []],
	['no event', '[1, 2]', {}, undefined, []],
	[
		'a list, and the log says how many entries are no events',
		JSON.stringify([event, 1, 'x', otherEvent]),
		{},
		[event, otherEvent],
		[lineAbout(2)],
	],
])('reads the events of %s', async (_, text, parsed, expected, lines) => {
	const log: string[] = [];
	const context = {
		getBodyData: () => parsed,
		getWorkflow: () => ({}),
		logger: { warn: (line: string) => log.push(line) },
	} as unknown as IWebhookFunctions;
	const delivery = { headers: {}, rawBody: Buffer.from(text) };
	if (expected) expect(await readEvents(context, delivery)).toEqual(expected);
	else await expect(readEvents(context, delivery)).rejects.toMatchObject({ status: 400 });
	expect(log).toEqual(lines);
});

test.each([
	['GB', '+447700900123'],
	['United Kingdom', '+447700900123'],
	['none', '07700900123'],
	[undefined, '07700900123'],
])(
	"a local sender gets the country of the credential's Default Country: %s",
	async (country, from) => {
		const getCredentials = jest.fn(async () => ({ defaultCountry: country }));
		const context = { getCredentials } as unknown as IWebhookFunctions;
		const read = async (...senders: string[]) => {
			const list = senders.map((sender) => ({ event: 'message_received', data: { from: sender } }));
			const delivery = { headers: {}, rawBody: Buffer.from(JSON.stringify(list)) };
			return (await readEvents(context, delivery)).map(({ data }) => data.from);
		};
		expect(await read('15550001001')).toEqual(['15550001001']);
		expect(getCredentials).not.toHaveBeenCalled();
		expect(await read('15550001001', '07700900123')).toEqual(['15550001001', from]);
	},
);
