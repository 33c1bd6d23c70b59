/** How often an inbox is called, so that it stores what n8n has overwritten. */
import { range } from 'lodash';
import type { IHookFunctions } from 'n8n-workflow';

import { WakeLoop } from '../../../nodes/BusinessMessaging/inbox/wakeLoop';
import { until } from '../../../harness/until';

const url = 'https://n8n.example.com/webhook/one/webhook';
const gone = {
	statusCode: 404,
	body: { code: 404, message: 'The requested webhook "POST one/webhook" is not registered.' },
};
const broken = { statusCode: 502, body: 'Bad gateway' };

/** A published trigger whose calls get these responses, one after another; the last one always. */
function published(...responses: object[]) {
	const pauses: number[] = [];
	const world = { calls: 0, isEnded: false };
	const wait = async (ms: number) => {
		pauses.push(ms);
		await new Promise<void>((resolve) => {
			if (!world.isEnded) setImmediate(resolve);
		});
	};
	const context = {
		getNodeWebhookUrl: () => url,
		getCredentials: async () => ({
			apiKey: 'key-of-the-tests',
			baseUrl: 'https://api.example.com',
		}),
		helpers: {
			httpRequestWithAuthentication: () => {},
			httpRequest: async () => responses[Math.min(world.calls++, responses.length - 1)],
		},
	} as unknown as IHookFunctions;
	const loop = new WakeLoop(wait);
	loop.start(context);
	const paused = async (count: number) => {
		await until(`${count} pauses`, () => pauses.length >= count);
		return pauses.slice(0, count);
	};
	return { context, loop, pauses, paused, world };
}

test('a trigger that does not respond is called less and less often, down to every 30 seconds', async () => {
	const { loop, paused, world } = published(broken);
	expect(await paused(8)).toEqual([1, 2, 4, 8, 16, 30, 30, 30].map((s) => s * 1_000));
	world.isEnded = true;
	loop.end(url);
});

test('a trigger that n8n has not known for ten minutes is not called any more', async () => {
	const { pauses, paused, world } = published(...range(3).map(() => broken), gone);
	const all = await paused(25);
	const sinceGone = all.slice(3).reduce((sum, ms) => sum + ms, 0);
	expect(sinceGone).toBeGreaterThanOrEqual(600_000);
	const { calls } = world;
	for (let n = 0; n < 20; n++) await new Promise(setImmediate);
	expect([pauses.length, world.calls, calls]).toEqual([25, 25, 25]);
});

test('only the end of its own URL ends the calls', async () => {
	const { loop, paused } = published(broken);
	expect(loop.end(url.replace('/webhook/', '/webhook-test/'))).toBe(false);
	await paused(3);
	expect([loop.end(url), loop.end(url)]).toEqual([true, false]);
});

test('publishing again replaces the calls, and does not double them', async () => {
	const { context, loop, paused, world } = published(broken);
	loop.start(context);
	await paused(20);
	loop.end(url);
	await new Promise(setImmediate);
	const { calls } = world;
	for (let n = 0; n < 20; n++) await new Promise(setImmediate);
	expect(world.calls - calls).toBeLessThan(2);
});
