/** Who is told about the people that a run asks, when, and in which order. */
import { begin } from './clock';
import { type Respond, Triggers, a, accepts, asking, b, c, d, limitMs, people } from './triggers';

const silent: Respond = () => undefined;
const notReady = 'n8n was not ready at its own public address for a minute';
const notPublished = 'is no longer published, or no longer receives messages';
const ended = 'heard nothing from this execution for two minutes';
const full = 'already waits for the maximum number of people';

/** A trigger that accepts people, and knows which triggers have to know of the run. */
const knows =
	(...triggers: string[]): Respond =>
	() => ({ inbox: 'yes', triggers });
/** A trigger that is silent from one second to another one. */
const silentFrom =
	(from: number, to = Infinity, otherwise = accepts): Respond =>
	(request, second) =>
		second >= from && second < to ? undefined : otherwise(request, second);

test('all triggers are told who is asked next, the owner last', async () => {
	const triggers = new Triggers({ [b]: accepts, [a]: accepts, [c]: accepts });
	const asker = await triggers.asker();
	await triggers.until(asker.tell(people(0, 1)));
	await triggers.until(asker.tell(people(2)));
	expect(triggers.told).toEqual(['b: 0,1', 'c: 0,1', 'a: 0,1', 'b: 2', 'c: 2', 'a: 2']);
	for (const url of [a, b, c]) {
		const { request, run } = triggers.latest(url);
		expect(request).toMatchObject({ is: 'tell', id: asking.id, skewMs: 7, without: [], left: [] });
		expect(run).toEqual({
			...{ id: asking.id, url: asking.url, questions: asking.questions },
			...{ owner: a, triggers: [b, a, c], startedAt: begin, leaseUntil: begin },
			...{ until: begin + limitMs, isWhole: false, isOver: false },
			...{ started: [], notAsked: [], people: new Map([[2, people(2)[0]]]) },
		});
	}
});

test('a trigger that was published since is told at once about everybody', async () => {
	const triggers = new Triggers({ [a]: accepts, [b]: accepts });
	const asker = await triggers.asker();
	triggers.responses[c] = accepts;
	triggers.registered.push(c);
	await triggers.until(asker.tell(people(0)));
	await triggers.until(asker.tell(people(1)));
	expect(triggers.told).toEqual(['b: 0', 'a: 0', 'c: 0', 'b: 1', 'c: 1', 'a: 1']);
	// At the beginning, and when the owner knew of the run.
	expect(triggers.lists).toBe(2);
});

test('a trigger that was published since, and does not respond at once, is told when it responds', async () => {
	const triggers = new Triggers({ [a]: accepts });
	const asker = await triggers.asker();
	triggers.responses[c] = silentFrom(0, 5);
	triggers.registered.push(c);
	await triggers.until(asker.tell(people(0)));
	expect(triggers.second).toBe(5);
	await triggers.until(asker.tell(people(1)));
	expect(triggers.told.slice(-2)).toEqual(['c: 1', 'a: 1']);
});

test.each([
	['before', 0],
	['after', 1],
])(
	'if the owner knows of another trigger %s it accepts people, this trigger and then the owner are told',
	async (_, part) => {
		const told: Respond = (request, second) =>
			(triggers.told.length > 2 * part ? knows(a, b, c) : accepts)(request, second);
		const triggers: Triggers = new Triggers({ [a]: told, [b]: accepts });
		const asker = await triggers.asker();
		triggers.responses[c] = accepts;
		for (const item of [0, 1].slice(0, part + 1)) await triggers.until(asker.tell(people(item)));
		expect(triggers.told.slice(2 * part)).toEqual(
			part === 0
				? ['b: 0', 'a: 0', 'c: 0', 'b: 0', 'c: 0', 'a: 0']
				: ['b: 1', 'a: 1', 'c: 0,1', 'b: 1', 'c: 1', 'a: 1'],
		);
	},
);

test.each([
	['silent', undefined],
	['busy', { inbox: 'busy' as const }],
])(
	'a trigger that is %s is called for a minute; then the owner is told without it, and it is told later',
	async (_, response) => {
		const respond: Respond = (__, second) =>
			second < 1 || second > 150 ? { inbox: 'yes' } : response;
		const triggers = new Triggers({ [a]: accepts, [b]: respond });
		const asker = await triggers.asker();
		await triggers.pass(1_000);
		await triggers.until(asker.tell(people(0)));
		expect(triggers.second).toBeGreaterThanOrEqual(61);
		expect(triggers.second).toBeLessThan(64);
		await triggers.until(asker.tell(people(1)));
		expect(triggers.second).toBeLessThan(64);
		expect(triggers.told.slice(-2)).toEqual(['a: 0', 'a: 1']);
		triggers.clear();
		await triggers.pass(120_000);
		const later = triggers.told.filter((line) => line.startsWith('b'));
		expect(later.length).toBeGreaterThan(2);
		expect(new Set(later)).toEqual(new Set(['b: 0,1']));
		triggers.clear();
		await triggers.until(asker.tell(people(2)));
		expect(triggers.told).toEqual(['b: 2', 'a: 2']);
	},
);

test('a trigger that responds again while somebody else is told still has to hear of that person', async () => {
	let respond: (response: { inbox: 'yes' }) => void = () => {};
	const triggers = new Triggers({ [a]: accepts, [b]: silent });
	const asker = await triggers.asker();
	await triggers.until(asker.tell(people(0)));
	triggers.responses[b] = async () => await new Promise((resolve) => (respond = resolve));
	triggers.clear();
	await triggers.pass(31_000);
	expect(triggers.told).toContain('b: 0');
	await triggers.until(asker.tell(people(1)));
	respond({ inbox: 'yes' });
	triggers.responses[b] = accepts;
	triggers.clear();
	await triggers.pass(31_000);
	expect(triggers.told).toContain('b: 0,1');
	triggers.clear();
	await triggers.until(asker.tell(people(2)));
	expect(triggers.told).toEqual(['b: 2', 'a: 2']);
});

test('a trigger that is not published is told once', async () => {
	const triggers = new Triggers({ [a]: accepts, [b]: accepts });
	const asker = await triggers.asker();
	triggers.responses[b] = () => 'gone';
	await triggers.until(asker.tell(people(0)));
	expect([triggers.told, triggers.second]).toEqual([['b: 0', 'a: 0'], 0]);
});

test.each<[string, Respond, string, number]>([
	['does not respond for a minute', silent, notReady, 61],
	['is not published for a minute', () => 'gone', notPublished, 61],
	['accepts no calls for a minute', () => ({ inbox: 'no' }), notPublished, 61],
	['waits for too many people', () => ({ inbox: 'full' }), full, 0],
	['has ended the run', () => ({ inbox: 'yes', isOver: true }), ended, 0],
])('if the owner %s, the next people are not asked', async (_, respond, message, seconds) => {
	const triggers = new Triggers({ [a]: accepts });
	const asker = await triggers.asker();
	triggers.responses[a] = respond;
	await expect(triggers.until(asker.tell(people(0)))).rejects.toMatchObject({
		message: expect.stringContaining(message),
		description: expect.stringMatching(/^[A-Z].*\.$/),
	});
	expect(triggers.second).toBeGreaterThanOrEqual(seconds);
	expect(triggers.second).toBeLessThan(seconds + 62);
	if (seconds > 0) expect(triggers.calls.length).toBeGreaterThan(50);
});

test.each<[string, Respond]>([
	['does not respond', silent],
	['is not published', () => 'gone'],
	['accepts no calls', () => ({ inbox: 'no' })],
])('if the owner %s for half a minute, it is told after that', async (_, respond) => {
	const triggers = new Triggers({ [a]: accepts });
	const asker = await triggers.asker();
	triggers.responses[a] = (...call) => (call[1] < 30 ? respond(...call) : { inbox: 'yes' });
	await triggers.until(asker.tell(people(0)));
	expect(triggers.second).toBe(30);
});

describe('when all were asked', () => {
	test.each([
		['', people(0, 1), false],
		[' but in the end nobody was', [], true],
	])('all triggers are told%s, and when the time is up', async (_, asked, isOver) => {
		const triggers = new Triggers({ [a]: accepts, [b]: accepts });
		const asker = await triggers.asker();
		await triggers.until(asker.tell(people(0, 1, 2)));
		await triggers.pass(20_000);
		triggers.clear();
		const until = begin + 20_000 + limitMs;
		expect(await triggers.until(asker.close(asked, [{ json: {} }]))).toBe(until);
		expect(triggers.called).toBe('ba');
		for (const url of [a, b])
			expect(triggers.latest(url).run).toMatchObject({
				...{ until, isWhole: true, isOver, notAsked: [{ json: {} }] },
				people: new Map(asked.map((one) => [one.item, one])),
			});
	});

	test('triggers that did not respond are tried once more, and the owner hears nothing more after that', async () => {
		const triggers = new Triggers({ [a]: accepts, [b]: silent, [c]: silent });
		const asker = await triggers.asker();
		await triggers.until(asker.tell(people(0)));
		triggers.responses[b] = accepts;
		triggers.clear();
		await triggers.until(asker.close(people(0), []));
		expect(triggers.told).toEqual(['b: 0', 'c: 0', 'b: 0', 'a: 0']);
		triggers.clear();
		await triggers.pass(300_000);
		expect(triggers.called).toBe('');
	});

	test('the owner hears nothing more, even if it could not be told', async () => {
		const triggers = new Triggers({ [a]: accepts });
		const asker = await triggers.asker();
		await triggers.until(asker.tell(people(0)));
		triggers.responses[a] = silent;
		await expect(triggers.until(asker.close(people(0), []))).rejects.toThrow(notReady);
		triggers.clear();
		await triggers.pass(300_000);
		expect(triggers.called).toBe('');
	});

	test('an owner that has ended the run refuses it, unless nobody was asked', async () => {
		const triggers = new Triggers({ [a]: accepts });
		const asker = await triggers.asker();
		await triggers.until(asker.tell(people(0)));
		triggers.responses[a] = () => ({ inbox: 'yes', isOver: true });
		await expect(triggers.until(asker.close(people(0), []))).rejects.toThrow(ended);
		expect(await triggers.until(asker.close([], []))).toBe(begin + limitMs);
	});
});

describe('if the run fails', () => {
	test('the owner learns that it is over, and nobody else', async () => {
		const triggers = new Triggers({ [a]: accepts, [b]: accepts });
		const asker = await triggers.asker();
		await triggers.until(asker.tell(people(0)));
		triggers.clear();
		await triggers.until(asker.stop());
		expect(triggers.told).toEqual(['a: ']);
		expect(triggers.latest(a).run).toMatchObject({ isOver: true, isWhole: false });
		await triggers.pass(300_000);
		expect(triggers.told).toEqual(['a: ']);
	});

	test('the other triggers learn that it is over only if the owner was never told of it', async () => {
		const triggers = new Triggers({ [a]: silentFrom(1), [b]: accepts });
		const asker = await triggers.asker();
		await triggers.pass(1_000);
		await expect(triggers.until(asker.tell(people(0)))).rejects.toThrow(notReady);
		await triggers.until(asker.stop());
		expect(triggers.told.at(-1)).toBe('b: ');
		expect(triggers.latest(b).run).toMatchObject({ isOver: true });
	});

	test('an owner that does not respond any more is called for a minute, and nobody else', async () => {
		const triggers = new Triggers({ [a]: silentFrom(1), [b]: accepts });
		const asker = await triggers.asker();
		await triggers.until(asker.tell(people(0)));
		await triggers.pass(1_000);
		triggers.clear();
		await triggers.until(asker.stop());
		expect(new Set(triggers.told)).toEqual(new Set(['a: ']));
		expect(triggers.second).toBeGreaterThanOrEqual(60);
	});

	test('an owner that has ended the run itself makes no error', async () => {
		const triggers = new Triggers({ [a]: accepts, [b]: accepts });
		const asker = await triggers.asker();
		triggers.responses[a] = () => ({ inbox: 'yes', isOver: true });
		await triggers.until(asker.stop());
		expect(triggers.told).toEqual(['a: ']);
	});
});

describe('the heartbeat', () => {
	test('tells the owner twice a minute that the run is alive, once it has accepted people', async () => {
		const triggers = new Triggers({ [a]: accepts, [b]: accepts });
		const asker = await triggers.asker();
		await triggers.pass(100_000);
		expect(triggers.told).toEqual([]);
		await triggers.until(asker.tell(people(0)));
		triggers.clear();
		await triggers.pass(120_000);
		expect(triggers.told).toEqual(['a: ', 'a: ', 'a: ', 'a: ']);
		const { run } = triggers.latest(a);
		expect(run).toMatchObject({ isWhole: false, isOver: false, until: 210_000 + begin + limitMs });
	});

	test.each<[string, Respond]>([
		['does not respond', silent],
		['is not published', () => 'gone'],
	])('goes on while the owner %s', async (_, respond) => {
		const triggers = new Triggers({ [a]: accepts });
		const asker = await triggers.asker();
		await triggers.until(asker.tell(people(0)));
		triggers.responses[a] = respond;
		await triggers.pass(100_000);
		triggers.responses[a] = () => ({ inbox: 'yes', isOver: true });
		asker.check();
		await triggers.pass(31_000);
		expect(() => asker.check()).toThrow(ended);
	});

	test('learns that the owner has ended the run; then nobody else is told or asked', async () => {
		const triggers = new Triggers({ [a]: accepts, [b]: accepts });
		const asker = await triggers.asker();
		await triggers.until(asker.tell(people(0)));
		const isOver = true;
		triggers.responses[a] = (_, second) =>
			second > 50 ? accepts(_, second) : { inbox: 'yes', isOver };
		await triggers.pass(100_000);
		triggers.clear();
		await expect(triggers.until(asker.tell(people(1)))).rejects.toMatchObject({
			message: expect.stringContaining(ended),
			description: expect.stringContaining('The retry asks nobody twice.'),
		});
		expect(triggers.told).toEqual([]);
	});

	test('learns of triggers that were published since, and tells them about everybody', async () => {
		const triggers = new Triggers({ [a]: accepts });
		const asker = await triggers.asker();
		await triggers.until(asker.tell(people(0)));
		await triggers.until(asker.tell(people(1)));
		Object.assign(triggers.responses, { [a]: knows(a, d), [d]: accepts });
		triggers.clear();
		await triggers.pass(61_000);
		expect(triggers.told).toEqual(['a: ', 'd: 0,1', 'a: ']);
	});
});
