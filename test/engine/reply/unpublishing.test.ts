/** An inbox that is unpublished, switched off or tested, and triggers that nobody authenticates. */
import { setTimeout as delay } from 'node:timers/promises';

import { received, Triggers, useLog, useService } from '../../../harness/engine/service';
import type { Trigger, TriggerOptions } from '../../../harness/engine/trigger';
import { People, anna, jsonOf, startedBy } from './support';

const service = useService();
const hooks = useLog(service, 'businessMessagingTrigger', 'hooks');
const triggers = new Triggers(service);
const people = new People(service);
const keepReplies = true;
let count = 0;
const idsOf = () => ({ webhookId: `end-${++count}`, workflowId: `end ${count}` });
const publish = async (options: TriggerOptions = {}) =>
	await triggers.active({ ...idsOf(), ...options });
const message = (text: string) =>
	received({ id: `${text}-${++count}`, from: anna, text, timestamp: new Date().toISOString() });
const signature = { values: { scheme: 'sha256-hex', header: 'X-Signature' } };
const byHand = (more: object = {}) => ({ options: { registration: 'manual', ...more } });

/** What becomes of an inbox that has just been unpublished. */
const ends: Array<[string, (ids: object, inbox: Trigger) => Promise<unknown>]> = [
	['stays unpublished', async () => {}],
	[
		'is published without the option',
		async (ids, { staticData }) => await publish({ ...ids, staticData }),
	],
	['is published again', async (_, inbox) => await inbox.activate()],
];

test.each(ends)('no message waits for an inbox without open questions that %s', async (_, goOn) => {
	const ids = idsOf();
	const inbox = await publish({ ...ids, parameters: { keepReplies } });
	const [before, after] = [await publish(), await publish()];
	expect((await triggers.deliver(before, message('Hi'))).status).toBe(200);
	await inbox.deactivate();
	expect((await triggers.deliver(before, message('Hi again'))).status).toBe(200);
	await goOn(ids, inbox);
	expect((await triggers.deliver(after, message('Hello'))).status).toBe(200);
	expect([before, after].map(startedBy)).toEqual([['Hi', 'Hi again'], ['Hello']]);
});

test('messages wait for an inbox with open questions that is being published again', async () => {
	const [inbox, another] = [await publish({ parameters: { keepReplies } }), await publish()];
	const execution = await people.ask([anna]);
	await inbox.deactivate();
	const reply = message('Yes');
	expect((await triggers.deliver(another, reply)).status).toBe(503);
	await inbox.activate();
	expect((await triggers.deliver(another, reply)).status).toBe(200);
	expect(await jsonOf(execution)).toMatchObject([{ text: 'Yes' }]);
	expect([inbox, another].flatMap(startedBy)).toEqual([]);
});

test.each([
	['ends', {}],
	['fails', { events: [] }],
])(
	'a test in the editor that %s does not end the calls that keep the inbox awake',
	async (_, fields) => {
		const ids = idsOf();
		const inbox = await publish({ ...ids, parameters: { keepReplies } });
		await people.ask([anna]);
		const parameters = { keepReplies, ...fields };
		const { staticData } = inbox;
		const test = await triggers.make({ ...ids, parameters, staticData, mode: 'test' });
		await test.activate().catch(() => {});
		await test.deactivate().catch(() => {});
		const isNoted = () => hooks.some((line) => line.includes('kept the replies'));
		expect(isNoted()).toBe(false);
		await inbox.deactivate();
		expect(isNoted()).toBe(true); // it was still called
	},
);

describe('a trigger that does not check who calls it', () => {
	test.each(['update', 'activate'] as const)(
		'is not published (%s) while another one keeps replies, and the error says what to do',
		async (reason) => {
			await publish({ parameters: { keepReplies } });
			const manual = await triggers.make({ ...idsOf(), parameters: byHand() });
			await expect(manual.activate(reason)).rejects.toThrow(/anybody.*'Require Secret'/);
		},
	);

	test.each([
		['a secret', byHand({ requireSecret: true })],
		['a signature', byHand({ signature })],
	])('is published as soon as it requires %s', async (_, parameters) => {
		await publish({ parameters: { keepReplies } });
		const credentials = service.credentials({ webhookSecret: 'own' });
		await expect(publish({ parameters, credentials })).resolves.toBeDefined();
	});

	test.each(['before the inbox', 'when n8n starts'])(
		'that was published %s answers no question',
		async (when) => {
			const manual = await triggers.make({ ...idsOf(), parameters: byHand() });
			if (when === 'before the inbox') await manual.activate();
			const inbox = await publish({ parameters: { keepReplies } });
			if (when === 'when n8n starts') await manual.activate('init');
			const execution = await people.ask([anna], { responseType: 'approval' });
			const forged = { event: 'message.received', data: { from: anna, text: 'yes' } };
			for (const event of [forged, message('yes')])
				expect((await manual.deliver(event)).status).toBe(200);
			await delay(500);
			expect(execution.outputs).toBeUndefined();
			await triggers.deliver(inbox, message('no'));
			expect(await jsonOf(execution)).toMatchObject([{ approved: false }]);
		},
	);
});
