/** Another trigger while the inbox does not respond, or seems not to exist. */
import { OtherTrigger } from '../../../nodes/BusinessMessaging/inbox/otherTrigger';
import { arrivalOf, own } from './parts';

const minuteMs = 60_000;
const from = { trigger: own, registeredAt: 0 };
const messages = [{ arrival: arrivalOf(), name: 'm', ageMs: 0 }];

/** A trigger, and its world: the time in minutes, and whether the inbox responds. */
function make() {
	const world = {
		...{ minute: 0, isThere: true, warnings: 0, calls: 0, says: 'yes' },
		listed: undefined as string | undefined,
	};
	const trigger = new OtherTrigger({
		now: () => world.minute * minuteMs,
		isManual: false,
		listInbox: () => Promise.resolve(world.listed),
		warn: () => world.warnings++,
		callTrigger: (url: string) => {
			world.calls++;
			const inbox = url === own ? world.says : 'yes';
			const verdicts = inbox === 'yes' && { verdicts: [{ is: 'taken' as const }] };
			return Promise.resolve(world.isThere ? { inbox, ...verdicts } : undefined);
		},
	} as never);
	trigger.look(own);
	const ask = async () => (await trigger.ask(messages, from))?.map(({ is }) => is);
	return { world, ask, trigger };
}

test('after ten minutes without a response of the inbox, messages are ordinary, and the log says so once', async () => {
	const { world, ask } = make();
	const at = async (minute: number, isThere: boolean) => {
		Object.assign(world, { minute, isThere });
		return await ask();
	};
	expect(await at(1, false)).toBeUndefined();
	expect(await at(10, false)).toBeUndefined();
	expect(await at(11 - 1 / 60, true)).toEqual(['taken']);
	expect(await at(12, false)).toBeUndefined();
	expect(await at(21, false)).toBeUndefined();
	expect(world.warnings).toBe(0);
	expect(await at(22, false)).toEqual(['ordinary']);
	expect(await at(23, false)).toEqual(['ordinary']);
	expect(world.warnings).toBe(1);
});

describe('absences of the inbox', () => {
	test('a day apart are two, however short each of them was', async () => {
		const { world, ask } = make();
		world.isThere = false;
		expect(await ask()).toBeUndefined();
		world.minute = 24 * 60;
		expect(await ask()).toBeUndefined();
		expect(world.warnings).toBe(0);
	});

	test('that were noted do not hold up messages, and end when the inbox responds', async () => {
		const { world, ask } = make();
		Object.assign(world, { isThere: false, listed: own });
		await ask();
		world.minute = 10;
		expect(await ask()).toEqual(['ordinary']);
		const before = world.calls;
		for (let n = 0; n < 20; n++) {
			world.minute += 0.1;
			expect(await ask()).toEqual(['ordinary']);
		}
		expect(world.calls - before).toBeLessThan(5);
		world.isThere = true;
		world.minute += 1;
		expect(await ask()).toEqual(['ordinary']);
		expect(await ask()).toEqual(['taken']);
	});
});

test('after the sealed answer that a trigger is no inbox any more, messages are ordinary, unless another one is', async () => {
	const { world, ask } = make();
	world.says = 'no';
	expect(await ask()).toEqual(['ordinary']);
	expect(world.calls).toBe(1);
	expect(await ask()).toEqual(['ordinary']);
	expect(world.calls).toBe(1);

	const moved = make();
	Object.assign(moved.world, { says: 'no', listed: 'https://n8n.test/webhook/c/webhook' });
	expect(await moved.ask()).toEqual(['taken']);
});

test('after the goodbye of the inbox, messages are ordinary at once; that of another trigger says nothing', async () => {
	const { world, ask, trigger } = make();
	world.isThere = false;
	trigger.forget('https://n8n.test/webhook/c/webhook');
	expect(await ask()).toBeUndefined();
	trigger.forget(own);
	expect(await ask()).toEqual(['ordinary']);
});
