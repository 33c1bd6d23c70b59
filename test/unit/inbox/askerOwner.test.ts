/** What a run that asks does if a trigger names another owner than the run has chosen. */
import { type Respond, Triggers, a, accepts, b, c, d, people } from './triggers';

/** A trigger that names an owner, unless the run has it already, or says that this one cannot own it. */
const names =
	(owner: string): Respond =>
	(request, _, run) => {
		if (request.is !== 'tell' || request.without.includes(owner)) return { inbox: 'yes' };
		return run?.owner === owner ? { inbox: 'yes' } : { inbox: 'other', owner };
	};
/** The same for the trigger a, with filters. */
const filtered: Respond = (request, ...rest) =>
	request.is === 'hello' ? { inbox: 'yes', isFiltered: true } : names(b)(request, ...rest);
/** Responds after some seconds. */
const late =
	(triggers: () => Triggers, seconds: number, respond = accepts): Respond =>
	async (request, ...rest) => {
		if (request.is === 'tell') await triggers().pause(seconds * 1_000);
		return await respond(request, ...rest);
	};

/** The requests by which triggers were told, in order: whom, of which owner. */
function ownersTold({ calls }: Triggers): string[] {
	return calls.flatMap(({ url, run }) => (run ? `${nameOf(url)} of ${nameOf(run.owner)}` : []));
}
const nameOf = (url: string) => url.split('/').at(-2);

test.each([
	['the owner', { [a]: names(b), [b]: accepts, [c]: accepts }, ['b of a', 'c of a', 'a of a']],
	['another trigger', { [a]: accepts, [b]: accepts, [c]: names(b) }, ['b of a', 'c of a']],
])('if %s names an owner, that one is told, last', async (_, responses, before) => {
	const triggers = new Triggers(responses);
	const asker = await triggers.asker();
	await triggers.until(asker.tell(people(0)));
	expect(ownersTold(triggers)).toEqual([...before, 'a of b', 'c of b', 'b of b']);
	for (const url of [a, b, c])
		expect(triggers.latest(url).request).toMatchObject({ without: [], left: [a] });
});

test('an owner that the service does not list is told too, and the first one still hears of everybody', async () => {
	const triggers = new Triggers({ [a]: names(d), [d]: accepts });
	triggers.registered = [a];
	const asker = await triggers.asker();
	await triggers.until(asker.tell(people(0)));
	expect(triggers.told).toEqual(['a: 0', 'a: 0', 'd: 0']);
	expect(triggers.latest(d).run).toMatchObject({ owner: d, triggers: [a, d] });
	triggers.clear();
	await triggers.until(asker.tell(people(1)));
	await triggers.until(asker.close(people(0, 1), []));
	expect(triggers.told).toEqual(['a: 1', 'd: 1', 'a: 0,1', 'd: 0,1']);
});

test('if two triggers name each other, the one with the first URL is the owner', async () => {
	const triggers = new Triggers({ [a]: filtered, [b]: names(a) });
	const asker = await triggers.asker();
	await triggers.until(asker.tell(people(0)));
	expect(ownersTold(triggers)[0]).toBe('a of b');
	expect(ownersTold(triggers).at(-1)).toBe('a of a');
	expect(triggers.latest(a).request).toMatchObject({ without: [b], left: [b] });
});

test('if three triggers name each other in turn, the one with the first URL is the owner', async () => {
	const triggers = new Triggers({ [a]: names(c), [b]: names(a), [c]: names(b) });
	const asker = await triggers.asker();
	await triggers.until(asker.tell(people(0)));
	expect(ownersTold(triggers).at(-1)).toBe('a of a');
	expect(triggers.latest(a).request).toMatchObject({ without: [b, c], left: [b, c] });
});

test('an owner that has accepted people stays the owner, and learns that another one cannot own the run', async () => {
	const triggers = new Triggers({ [a]: accepts, [b]: accepts, [c]: accepts });
	const asker = await triggers.asker();
	await triggers.until(asker.tell(people(0)));
	triggers.responses[b] = names(c);
	triggers.clear();
	await triggers.until(asker.tell(people(1)));
	expect(ownersTold(triggers)).toEqual(['b of a', 'c of a', 'b of a', 'c of a', 'a of a']);
	expect(triggers.latest(a).request).toMatchObject({ without: [c], left: [] });
});

test('an owner whose response names itself is told once', async () => {
	const triggers = new Triggers({ [a]: () => ({ inbox: 'yes', owner: a }) });
	const asker = await triggers.asker();
	await triggers.until(asker.tell(people(0)));
	expect(triggers.told).toEqual(['a: 0']);
});

test.each<[string, Respond, string[], string[]]>([
	['another owner', names(d), ['a: 0', 'c: 0', 'c: 0'], [d]],
	['another owner each time', () => ({ inbox: 'other', owner: d }), ['a: 0', 'c: 0', 'c: 0'], [d]],
	['the owner of the run', () => ({ inbox: 'yes', owner: a }), ['a: 0', 'c: 0'], []],
	['no owner', () => ({ inbox: 'other' }), ['a: 0', 'c: 0'], []],
])(
	'a trigger that was published since and names %s learns which one cannot own the run',
	async (_, respond, told, without) => {
		const triggers = new Triggers({ [a]: accepts });
		const asker = await triggers.asker();
		triggers.responses[c] = respond;
		triggers.registered.push(c);
		await triggers.until(asker.tell(people(0)));
		expect(triggers.told).toEqual(told);
		triggers.responses[c] = accepts;
		await triggers.until(asker.tell(people(1)));
		expect(triggers.latest(a).request.without).toEqual(without);
	},
);

describe('if two parts of a run are told at the same time', () => {
	test('and both learn of the same owner, that one is told about both', async () => {
		const triggers = new Triggers({ [a]: names(b), [b]: accepts });
		const asker = await triggers.asker();
		await triggers.until(Promise.all([asker.tell(people(0)), asker.tell(people(1))]));
		const { request } = triggers.latest(b);
		expect(request).toMatchObject({ without: [], left: [a] });
		const ofOwner = triggers.calls.filter(({ url, run }) => url === b && run?.owner === b);
		expect(ofOwner.flatMap(({ run }) => [...(run?.people.keys() ?? [])])).toEqual([0, 1]);
	});

	test('and one of them learns of another owner, that one is told about both', async () => {
		const triggers: Triggers = new Triggers({ [a]: late(() => triggers, 5), [b]: accepts });
		const asker = await triggers.asker();
		const first = asker.tell(people(0));
		await triggers.pass(1_000);
		triggers.responses[a] = names(b);
		await triggers.until(asker.tell(people(1)));
		await triggers.until(first);
		const ofOwner = triggers.calls.filter(({ url, run }) => url === b && run?.owner === b);
		expect(ofOwner.flatMap(({ run }) => [...(run?.people.keys() ?? [])])).toEqual([1, 0]);
	});
});

test('a run that has failed tells no other owner', async () => {
	const triggers: Triggers = new Triggers({ [a]: late(() => triggers, 5, names(b)), [b]: accepts });
	const asker = await triggers.asker();
	const told = asker.tell(people(0));
	await triggers.pass(1_000);
	triggers.responses[a] = accepts;
	await triggers.until(asker.stop());
	triggers.clear();
	await triggers.until(told);
	expect(triggers.told).toEqual([]);
});
