/** Another trigger while the inbox does not respond, or seems not to exist. */
import { OtherTrigger } from '../../../nodes/BusinessMessaging/inbox/otherTrigger';
import { arrivalOf, own } from './parts';

const minuteMs = 60_000;
const from = { trigger: own, registeredAt: 0 };
const messages = [{ arrival: arrivalOf(), name: 'm', ageMs: 0 }];

/** A trigger, and its world: the time in minutes, and whether the inbox responds. */
function make() {
	const world = { minute: 0, isThere: true, warnings: 0 };
	const trigger = new OtherTrigger({
		now: () => world.minute * minuteMs,
		isManual: false,
		listInbox: () => Promise.resolve(undefined),
		warn: () => world.warnings++,
		callTrigger: () =>
			Promise.resolve(
				world.isThere ? { inbox: 'yes', verdicts: [{ is: 'taken' as const }] } : undefined,
			),
	} as never);
	trigger.look(own);
	const ask = async () => (await trigger.ask(messages, from))?.map(({ is }) => is);
	return { world, ask };
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
