/** What the process keeps between executions: of everything a greatest number, and for how long. */
import { range } from 'lodash';
import type { IWebhookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../../nodes/BusinessMessaging/boundedMap';
import { limiterFor } from '../../nodes/BusinessMessaging/transport/rateLimiter';
import { eventsOf } from '../../nodes/BusinessMessaging/webhooks/deduplication';
import { joinInbox } from '../../nodes/BusinessMessaging/webhooks/inbox';

const hourMs = 3_600_000;
let now = 1_000_000;
beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => jest.restoreAllMocks());

/** A trigger whose static data is lost, so that only the process remembers. */
const triggerOf = (name: string) =>
	({
		getWorkflowStaticData: () => ({}),
		getWorkflow: () => ({ id: name }),
		getNode: () => ({ id: 'node' }),
		getResponseObject: () => ({ writableEnded: true, statusCode: 200 }),
	}) as unknown as IWebhookFunctions;

/** Whether what is kept under a name is still what it was when it was last asked for. */
function isSame(get: (name: string) => unknown): (name: string) => boolean {
	const earlier = new Map<string, unknown>();
	return (name) => {
		const [before, present] = [earlier.get(name), get(name)];
		earlier.set(name, present);
		return before === present;
	};
}

const others = new BoundedMap<string, object>({ maxSize: 1_000 });

test.each<[string, number, (name: string) => boolean | Promise<boolean>]>([
	['the rate of a service', 1, isSame((name) => limiterFor(name, 60_000))],
	[
		'an event of a trigger',
		48,
		async (name) =>
			(await eventsOf(triggerOf(name)).recognize(triggerOf(name), 'a'.repeat(11))) === 'taken',
	],
	['the questions of a service', 30 * 24, isSame((name) => joinInbox(triggerOf(name), name))],
	['anything else', 30 * 24, isSame((name) => others.getOrSet(name, () => ({})))],
])('%s: kept for a time (%d h), and of 1,000 at most', async (_, hours, isKept) => {
	expect([await isKept('a'), await isKept('a')]).toEqual([false, true]);
	for (const n of range(999)) await isKept(`other ${n}`);
	expect(await isKept('a')).toBe(true);
	for (const n of range(1_000)) await isKept(`another ${n}`);
	expect([await isKept('a'), await isKept('a')]).toEqual([false, true]);
	now += hours * hourMs - 1;
	expect(await isKept('a')).toBe(true);
	now += hours * hourMs;
	expect(await isKept('a')).toBe(false);
});
