/** Whether the service has got a response that says that its delivery succeeded. */
import { setTimeout as delay } from 'node:timers/promises';
import type { IWebhookFunctions } from 'n8n-workflow';

import { eventsOf } from '../../../nodes/BusinessMessaging/webhooks/deduplication';
import { hasSucceeded } from '../../../nodes/BusinessMessaging/webhooks/delivery';

type Response = Parameters<typeof hasSucceeded>[0];
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
const responseOf = (statusCode: number, writableEnded = true) =>
	({ statusCode, writableEnded }) as Mutable<Response>;

/** Makes a second take a millisecond. */
function speedUpClock(): void {
	const { now } = Date;
	const start = now();
	jest.spyOn(Date, 'now').mockImplementation(() => start + 1_000 * (now() - start));
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
	let response = responseOf(200, false);
	const context = {
		getWorkflowStaticData: () => ({}),
		getWorkflow: () => ({ id: 'handed over' }),
		getNode: () => ({ id: 'node' }),
		getResponseObject: () => response,
	} as unknown as IWebhookFunctions;
	const [events, first, second] = [eventsOf(context), response, responseOf(200, false)];
	const key = 'a'.repeat(11);
	expect(await events.recognize(context, key)).toBe('new');
	events.handOver(first, second);
	first.writableEnded = true;
	response = responseOf(200, false);
	speedUpClock();
	expect(await events.recognize(context, key)).toBe('underWay');
	second.writableEnded = true;
	expect(await events.recognize(context, key)).toBe('taken');
});
