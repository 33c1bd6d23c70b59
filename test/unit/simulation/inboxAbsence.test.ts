/** Send and Wait in virtual time: owners that are unpublished, and older copies of what n8n has stored. */
import { ask, publish, setting, write } from './inbox/actions';
import type { Action } from './inbox/parts';
import { carryOut } from './inbox/schedules';

/** The owner of the first run is published again at these times, and cannot be reached for `gone` seconds. */
const unpublished = (at: number, gone: number) => publish(at, 0, gone, 1, { isRemoved: true });

test.each([2, 3])(
	'if the owner of open questions is unpublished, only the first run waits for it, for a minute (%d triggers)',
	async (triggers) => {
		const actions: Action[] = [
			...[0, 15, 100, 200].map((at, person) => ask(at, [person])),
			...[unpublished(10, 400), write(300, 1), write(301, 2), write(302, 3)],
		];
		const { world } = await carryOut({ setting: { ...setting, triggers }, seed: 1, actions });
		const [, ...later] = world.executions.map(({ startedAt, waitsAt }) => waitsAt - startedAt);
		expect(later[0]).toBeGreaterThan(60_000);
		expect(later[0]).toBeLessThan(65_000);
		expect(Math.max(...later.slice(1))).toBeLessThan(1_000);
		expect(world.executions.map(({ output }) => output)).toEqual([[], ['m0'], ['m1'], ['m2']]);
	},
);

test('a run waits again for an owner that was published since', async () => {
	const actions: Action[] = [
		...[ask(0, [0]), unpublished(10, 80), ask(15, [1]), write(80, 1)],
		...[unpublished(200, 20), ask(205, [2]), write(300, 2)],
	];
	const two = { ...setting, triggers: 2 };
	const { world, faults } = await carryOut({ setting: two, seed: 1, actions });
	expect(faults).toEqual([]);
	const { startedAt, waitsAt, output } = world.executions[2];
	expect(waitsAt - startedAt).toBeGreaterThan(10_000);
	expect(waitsAt - startedAt).toBeLessThan(30_000);
	expect(output).toEqual(['m1']);
});

test('a process that was started again while questions are open notices an older copy too', async () => {
	const actions: Action[] = [
		...[ask(5, [0, 1], { limit: 1_500 }), write(110, 4), write(1_200, 0)],
		{ is: 'olderCopy', at: 0, trigger: 0, after: 200 },
		{ is: 'kill', at: 100, process: 0, down: 1 },
	];
	const { world } = await carryOut({ setting, seed: 1, actions });
	expect(world.overwritten).toEqual([]);
	expect(world.executions[0].output).toEqual(['m1']);
});
