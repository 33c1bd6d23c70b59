/** How the changes of many deliveries are stored together, and what happens if n8n has written back an older copy. */
import type { CallResult } from '../../../nodes/BusinessMessaging/inbox/ports';
import { begin, settle } from './clock';
import { OneTrigger } from './oneTrigger';
import { other, runOf } from './parts';

const run = (id = 'run-0000001') => runOf({ id, owner: other, startedAt: begin, until: begin * 2 });

/** A trigger with a change that is not stored yet. */
function changed() {
	const n8n = new OneTrigger();
	n8n.inbox.known.merge(run());
	return { n8n, known: n8n.inbox.known };
}

/** Stores what is known with a delivery, and tells whether that has come to an end. */
function persist({ inbox }: OneTrigger, delivery: ReturnType<OneTrigger['delivery']>) {
	const state = { isDone: false };
	void inbox.known.persist(delivery).then(() => (state.isDone = true));
	return state;
}

/** Stores what is known with a delivery that ends well. */
async function store(n8n: OneTrigger): Promise<void> {
	const delivery = n8n.delivery();
	await n8n.inbox.known.persist(delivery);
	delivery.end();
	await settle();
}

describe('changes', () => {
	test('are stored with the delivery that makes them', async () => {
		const { n8n } = changed();
		const delivery = n8n.delivery();
		const state = persist(n8n, delivery);
		await settle();
		expect(state.isDone).toBe(true);
		expect(delivery.isStoring()).toBe(true);
		delivery.end();
		expect(Object.keys(n8n.stored!)).toEqual(['run-0000001']);
	});

	test('of two deliveries of one moment are stored with the first one, and the second waits for that', async () => {
		const { n8n, known } = changed();
		const [first, second] = [n8n.delivery(), n8n.delivery()];
		persist(n8n, first);
		known.merge(run('run-0000002'));
		const state = persist(n8n, second);
		await n8n.pass(1_000);
		expect(state.isDone).toBe(false);
		first.end();
		await settle();
		expect(state.isDone).toBe(true);
		expect(second.isStoring()).toBe(false);
		expect(Object.keys(n8n.stored!)).toEqual(['run-0000001', 'run-0000002']);
	});

	test.each(['lost', 'failed'] as const)(
		'are stored with the second delivery if the response to the first one is %s',
		async (how) => {
			const { n8n } = changed();
			const [first, second] = [n8n.delivery(), n8n.delivery()];
			persist(n8n, first);
			const state = persist(n8n, second);
			first.end(how);
			await settle();
			expect(state.isDone).toBe(true);
			expect(second.isStoring()).toBe(true);
		},
	);

	test('are stored with the second delivery if n8n has not ended the first one within two seconds', async () => {
		const { n8n } = changed();
		const [first, second, third] = [n8n.delivery(), n8n.delivery(), n8n.delivery()];
		persist(n8n, first);
		const state = persist(n8n, second);
		await n8n.pass(1_999);
		expect([state.isDone, second.isStoring()]).toEqual([false, false]);
		// The first one is still being stored, so another 200 ms are waited for further changes.
		await n8n.pass(200);
		expect([state.isDone, second.isStoring()]).toEqual([false, false]);
		persist(n8n, third);
		await n8n.pass(1);
		expect([state.isDone, second.isStoring()]).toEqual([true, true]);
		expect(third.isStoring()).toBe(false);
		second.end();
		await settle();
		expect(third.isStoring()).toBe(false);
	});

	test('that come while n8n is storing others are stored together, 200 ms later', async () => {
		const { n8n, known } = changed();
		const [first, second, third] = [n8n.delivery(), n8n.delivery(), n8n.delivery()];
		persist(n8n, first);
		await settle();
		first.write();
		known.merge(run('run-0000002'));
		const states = [persist(n8n, second), persist(n8n, third)];
		await n8n.pass(199);
		expect([second, third].map((one) => one.isStoring())).toEqual([false, false]);
		known.merge(run('run-0000003'));
		await n8n.pass(1);
		expect([second, third].map((one) => one.isStoring())).toEqual([true, false]);
		expect(states.map(({ isDone }) => isDone)).toEqual([true, false]);
		second.end();
		await settle();
		expect(states.map(({ isDone }) => isDone)).toEqual([true, true]);
		expect(Object.keys(n8n.stored!)).toHaveLength(3);
		first.end();
		n8n.answer = () => undefined;
		expect(await known.ensureStored(known.runs.all())).toBe(true);
	});

	test('that come while n8n is storing others are not taken for stored', async () => {
		const { n8n, known } = changed();
		n8n.answer = () => undefined;
		const first = n8n.delivery();
		await known.persist(first);
		first.write();
		known.merge({ ...run(), isOver: true });
		known.merge(run('run-0000002'));
		first.end();
		await settle();
		const certain = ['run-0000001', 'run-0000002'].map(
			async (id) => await known.ensureStored([run(id)]),
		);
		expect(await Promise.all(certain)).toEqual([false, false]);
	});

	test('are stored without a pause once n8n has ended the delivery before', async () => {
		const { n8n } = changed();
		for (const how of ['received', 'lost'] as const) {
			const delivery = n8n.delivery();
			const state = persist(n8n, delivery);
			await settle();
			expect([state.isDone, delivery.isStoring()]).toEqual([true, true]);
			delivery.end(how);
			await settle();
		}
	});

	test('are stored at once with a delivery that starts a workflow, which others do not wait for', async () => {
		const { n8n } = changed();
		const [first, second] = [n8n.delivery(), n8n.delivery()];
		await n8n.inbox.known.persist(first, true);
		expect(first.isStoring()).toBe(true);
		const state = persist(n8n, second);
		await settle();
		expect(state.isDone).toBe(true);
		expect(second.isStoring()).toBe(true);
	});
});

/** Whether n8n still has what was stored is checked by calls of the trigger itself. */
describe('n8n is asked whether it still has what was stored', () => {
	const checks = async (n8n: OneTrigger, seconds: number) => {
		await n8n.pass(seconds * 1_000);
		return n8n.callTimes('sync');
	};
	const often = [1, 5, 21];

	test('three times after a change, and then every ten minutes as long as there are runs', async () => {
		const { n8n, known } = changed();
		n8n.answer = () => ({ inbox: 'yes' });
		await store(n8n);
		expect(await checks(n8n, 2_000)).toEqual([...often, 621, 1_221, 1_821]);
		known.forget('run-0000001');
		expect(await checks(n8n, 2_000)).toEqual([...often, 621, 1_221, 1_821, 2_421]);
		await store(n8n);
		expect((await checks(n8n, 2_000)).slice(7)).toEqual([4_001, 4_005, 4_021]);
	});

	test('again after each change', async () => {
		const { n8n } = changed();
		n8n.answer = () => ({ inbox: 'yes' });
		await store(n8n);
		await checks(n8n, 3);
		await store(n8n);
		expect(await checks(n8n, 500)).toEqual([1, 4, 8, 24]);
	});

	test.each<[CallResult, number[]]>([
		[undefined, [684, 700, 716, 732, 1_332, 1_348, 1_364, 1_380]],
		['gone', [684, 1_284]],
	])('up to four times in a row after the response %j', async (result, later) => {
		const { n8n } = changed();
		n8n.answer = () => result;
		await store(n8n);
		const first = [1, 2, 3, 4, 8, 12, 16, 20, 36, 52, 68, 84];
		expect(await checks(n8n, 1_400)).toEqual([...first, ...later]);
	});

	test('if what n8n has stored is not what is known, but not while it is being asked', async () => {
		const { n8n, known } = changed();
		n8n.answer = () => ({ inbox: 'yes' });
		await store(n8n);
		const older = { stored: { 'run-0000001': n8n.seal('an older copy') } };
		await checks(n8n, 3);
		known.load(older);
		expect(await checks(n8n, 27)).toEqual(often);
		known.load(n8n.delivery());
		expect(await checks(n8n, 30)).toEqual(often);
		known.load(older);
		expect(await checks(n8n, 30)).toEqual([...often, 61, 65, 81]);
	});

	test('also in a process that has just begun', async () => {
		const { n8n } = changed();
		await store(n8n);
		n8n.answer = () => ({ inbox: 'yes' });
		n8n.restart();
		expect(await checks(n8n, 30)).toEqual(often);
	});

	test('and n8n stores again what an older copy has overwritten', async () => {
		const { n8n } = changed();
		await store(n8n);
		await n8n.pass(10_000);
		n8n.stored = undefined;
		await n8n.pass(20_000);
		expect(Object.keys(n8n.stored ?? {})).toEqual(['run-0000001']);
	});
});
