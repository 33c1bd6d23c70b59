/** How a run that asks finds the trigger that receives its replies, the owner. */
import { Asker } from '../../../nodes/BusinessMessaging/inbox/asker';
import type { CallResult } from '../../../nodes/BusinessMessaging/inbox/ports';
import { type Respond, Triggers, a, accepts, asking, b, c, d, people } from './triggers';

const silent: Respond = () => undefined;
const busy: Respond = () => ({ inbox: 'busy' });
const gone: Respond = () => 'gone';
const says =
	(response: Exclude<CallResult, 'gone' | undefined>): Respond =>
	() =>
		response;
const owns = (owner: string) => says({ inbox: 'yes', owner });
const full = 'Business Messaging Trigger already waits for the maximum number of people';

/** The owner that is chosen; undefined if there is none. */
async function ownerAmong(triggers: Triggers): Promise<string | undefined> {
	const asker = new Asker(triggers, asking);
	if (!(await triggers.until(asker.open()))) return undefined;
	await triggers.until(asker.tell(people(0)));
	await asker.stop();
	return triggers.latest(triggers.calls.at(-1)?.url ?? '').run.owner;
}

test.each<[string, Record<string, Respond>, string | undefined]>([
	['there is no trigger', {}, undefined],
	['the only trigger receives no messages', { [a]: says({ inbox: 'no' }) }, undefined],
	['the only trigger cannot own questions', { [a]: says({ inbox: 'member' }) }, undefined],
	['the only trigger is not published', { [a]: gone }, undefined],
	['there are several triggers', { [b]: accepts, [a]: accepts, [c]: accepts }, a],
	['the first trigger cannot own questions', { [a]: says({ inbox: 'member' }), [b]: accepts }, b],
	['the first trigger receives no messages', { [a]: says({ inbox: 'no' }), [b]: accepts }, b],
	['the first trigger is not published', { [a]: gone, [b]: accepts }, b],
	[
		'the first trigger has filters',
		{ [a]: says({ inbox: 'yes', isFiltered: true }), [b]: accepts },
		b,
	],
	[
		'all triggers have filters',
		{
			[b]: says({ inbox: 'yes', isFiltered: true }),
			[a]: says({ inbox: 'yes', isFiltered: true }),
		},
		a,
	],
	['a later trigger owns questions', { [a]: owns(b), [b]: owns(b), [c]: accepts }, b],
	[
		'the first trigger owns questions and has filters',
		{
			[a]: says({ inbox: 'yes', isFiltered: true, owner: a }),
			[b]: owns(a),
		},
		a,
	],
	['two triggers own questions', { [a]: accepts, [b]: owns(c), [c]: owns(b) }, b],
	[
		'the owner of questions can own no more',
		{ [a]: accepts, [b]: says({ inbox: 'member', owner: b }) },
		a,
	],
	['another trigger is full', { [a]: accepts, [b]: says({ inbox: 'full' }) }, a],
])('if %s, the owner is the right one', async (_, responses, owner) => {
	const triggers = new Triggers(responses);
	expect(await ownerAmong(triggers)).toBe(owner);
	expect(triggers.second).toBe(0);
	const greetings = triggers.calls.filter(({ request }) => request.is === 'hello');
	expect(greetings.map(({ url }) => url)).toEqual(Object.keys(responses));
});

test('the owner does not wait for a trigger that receives no messages, or is not published', async () => {
	const triggers = new Triggers({ [a]: gone, [b]: accepts, [c]: says({ inbox: 'no' }) });
	expect(await ownerAmong(triggers)).toBe(b);
	expect(triggers.told[0]).toBe('b: 0');
});

test.each([
	['the only trigger', { [a]: says({ inbox: 'full' }) }],
	['the first trigger', { [a]: says({ inbox: 'full' }), [b]: accepts }],
	['the owner of other questions', { [a]: accepts, [b]: says({ inbox: 'full', owner: b }) }],
])('if %s waits for too many people, nobody is asked', async (_, responses) => {
	const triggers = new Triggers(responses);
	await expect(triggers.until(new Asker(triggers, asking).open())).rejects.toMatchObject({
		message: full,
		description: 'Try again when some people have replied.',
	});
	await triggers.pass(100_000);
	expect(triggers.told).toEqual([]);
});

test.each([
	['does not respond', silent],
	['is busy', busy],
])(
	'a trigger that %s is called each second for a minute, and then is not the owner',
	async (_, respond) => {
		const triggers = new Triggers({ [a]: respond, [b]: accepts });
		expect(await ownerAmong(triggers)).toBe(b);
		const attempts = triggers.calls.filter(({ url }) => url === a);
		expect(attempts.map(({ second }) => second).slice(0, 60)).toEqual([...Array(60).keys()]);
		expect(triggers.second).toBeGreaterThanOrEqual(60);
		expect(triggers.second).toBeLessThan(63);
		expect(triggers.told).toEqual(['b: 0', 'b: ']);
		expect(triggers.latest(b).run.triggers.sort()).toEqual([a, b]);
	},
);

test.each([silent, busy])(
	'a trigger that responds only after half a minute can be the owner',
	async (respond) => {
		const wakes: Respond = (...call) => (call[1] < 30 ? respond(...call) : { inbox: 'yes' });
		const triggers = new Triggers({ [a]: wakes, [b]: accepts });
		expect(await ownerAmong(triggers)).toBe(a);
		expect(triggers.second).toBe(30);
		expect(triggers.told).toEqual(['b: 0', 'a: 0', 'a: ']);
	},
);

test.each<[string, Respond, string, number]>([
	['responds after 20 s', (_, second) => (second < 20 ? 'gone' : { inbox: 'yes' }), d, 20],
	['receives no messages any more', says({ inbox: 'no' }), a, 0],
	['is not published for a minute', gone, a, 61],
	['does not respond for a minute', silent, a, 61],
])('an owner that the service does not list, and that %s', async (_, respond, owner, second) => {
	const triggers = new Triggers({ [a]: owns(d), [b]: owns(d), [d]: respond });
	triggers.registered = [a, b];
	expect(await ownerAmong(triggers)).toBe(owner);
	expect(triggers.second).toBe(second);
	expect(triggers.latest(owner).request.without).toEqual(owner === d ? [] : [d]);
});

test('an owner that the service lists, and that does not respond, is called for one minute in all', async () => {
	const triggers = new Triggers({ [a]: owns(d), [d]: silent });
	expect(await ownerAmong(triggers)).toBe(a);
	expect(triggers.second).toBeLessThan(63);
	expect(triggers.latest(a).request.without).toEqual([d]);
});

test('two owners that the service does not list are both called', async () => {
	const triggers = new Triggers({ [a]: owns(d), [b]: owns(c), [c]: accepts, [d]: accepts });
	triggers.registered = [b, a];
	expect(await ownerAmong(triggers)).toBe(c);
	expect(triggers.told).toEqual(['b: 0', 'a: 0', 'd: 0', 'c: 0', 'c: ']);
	expect(triggers.latest(c).run.triggers).toEqual([b, a, c, d]);
});
