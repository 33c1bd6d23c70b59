/** Send and Wait for Response on a real n8n: with one trigger that keeps the replies, without one, and with two. */
import { setTimeout as delay } from 'node:timers/promises';
import partition from 'lodash/partition';
import type { INodeParameters } from 'n8n-workflow';
import { openBrowser } from '../../../harness/editor/editor';
import { Chat } from '../../../harness/editor/phone';
import { outputOf } from '../../../harness/n8n/client';
import { node } from '../../../harness/n8n/workflow';
import { hiddenId } from '../../../sandbox/ids';
import { tested, trigger, useN8n, workflowOf } from '../../../harness/useN8n';

const n8n = useN8n();
const anna = '+15550001001';
const berta = '+15550001002';
const carl = '+15550001003';

/** Asks, and expects that the run fails. @returns the error, and what to do */
async function refusal(): Promise<string> {
	const question = { resource: 'message', operation: 'sendAndWait', to: anna, message: 'Well?' };
	const { error } = await n8n.run({ parameters: question, items: [{}] });
	return `${error?.message} ${String(error?.description)}`;
}

test('without a trigger that keeps the replies, nobody is asked, and the error says what to publish', async () => {
	await n8n.publish();
	expect(await refusal()).toMatch(/^No published workflow keeps the replies .*example Inbox/);
	expect(n8n.outbound).toEqual([]);
});

test('a second trigger that keeps the replies cannot be published, and the error names the first', async () => {
	const inbox = await n8n.publishInbox();
	const second = await n8n.client.createWorkflow(n8n.triggerFile({ keepReplies: true }));
	await expect(n8n.client.activate(second.id)).rejects.toThrow(
		/Another workflow keeps the replies for Send and Wait already: "Trigger"/,
	);
	expect(n8n.sandbox.state.webhooks.all).toHaveLength(1);
	await n8n.client.deactivate(inbox);
	await n8n.client.activate(second.id);
	const id = await n8n.ask([anna]);
	n8n.write(anna, 'Gladly');
	expect(await n8n.replies(id)).toEqual(['Gladly']);
});

test('when n8n starts, the inbox wakes without any message: a reply that is due reaches its run, and a registration that somebody has removed is made again', async () => {
	await n8n.publishInbox();
	const id = await n8n.ask([anna], { replyOptions: { furtherMessages: 60 } });
	await n8n.untilDelivered(n8n.write(anna, 'Tuesday').deliveries);
	await n8n.playground.n8n.kill();
	const { webhooks } = n8n.sandbox.state;
	webhooks.delete(webhooks.all[0].id);
	await n8n.playground.n8n.start();
	expect(await n8n.replies(id)).toEqual(['Tuesday']);
	expect(webhooks.all).toHaveLength(1);
});

describe('with a published inbox', () => {
	test('n8n is killed at five moments of five runs: every reply arrives once, nobody is asked twice, nothing else counts as a reply', async () => {
		const inbox = await n8n.publishInbox();
		const person = (n: number) => `+1555000${2000 + n}`;
		const answer = (n: number) => n8n.write(person(n), `from ${n}`).deliveries;
		const pair = async (n: number, more: INodeParameters = {}) =>
			await n8n.ask([person(n), person(n + 1)], more);
		const runs = {
			asked: await pair(0),
			halfAnswered: await pair(2),
			allAnswered: await pair(4, { replyOptions: { furtherMessages: 20 } }),
			resumed: await pair(6),
			limited: await pair(8, { limitWaitTime: 1 }),
		};
		const first = [n8n.write(carl, 'Hello').deliveries, answer(6), answer(7)].flat();
		await n8n.untilDelivered(first);
		await n8n.client.waitForExecution(runs.resumed);
		const second = [2, 4, 5, 8].flatMap(answer);
		await n8n.untilDelivered(second);
		await n8n.crash();
		const { webhooks, deliveries } = n8n.sandbox.state;
		const again = [...first, ...second].map(({ webhookId, event, data }) =>
			deliveries.deliver(webhooks.get(webhookId)!, event, data),
		);
		await n8n.untilDelivered(again);
		await n8n.untilDelivered([0, 1, 3].flatMap(answer));
		await n8n.untilDelivered(n8n.write(person(6), 'Thanks').deliveries);
		const replies: unknown[][] = [];
		for (const id of Object.values(runs)) replies.push(await n8n.replies(id));
		expect(replies).toEqual([
			['from 0', 'from 1'],
			['from 2', 'from 3'],
			['from 4', 'from 5'],
			['from 6', 'from 7'],
			['from 8', null],
		]);
		expect(n8n.outbound).toHaveLength(10);
		const started = (await n8n.executions(inbox, 2)).flatMap((one) => outputOf(one, trigger));
		expect(started.map(({ json }) => json.text)).toEqual(['Hello', 'Thanks']);
	});

	test('people whose number the service hides are known by the question that they quote, also after a crash of n8n, and an ID is no recipient', async () => {
		const inbox = await n8n.publishInbox();
		const id = await n8n.ask([anna, berta], { responseType: 'approval' });
		n8n.sandbox.state.settings.hidesNumbers = true;
		await n8n.untilDelivered(n8n.write(berta, 'perhaps').deliveries);
		await n8n.crash();
		await n8n.untilDelivered(n8n.write(carl, 'Hello').deliveries);
		await n8n.untilDelivered(n8n.write(berta, 'no', '').deliveries);
		await n8n.untilDelivered(n8n.write(anna, 'yes').deliveries);
		const asked = await n8n.client.waitForExecution(id, 120_000);
		expect(outputOf(asked, tested).map(({ json }) => json)).toMatchObject([
			{ from: anna, senderId: hiddenId(anna), approved: true },
			{ from: berta, senderId: hiddenId(berta), approved: false, text: 'no' },
		]);
		const started = (await n8n.executions(inbox, 1)).flatMap((one) => outputOf(one, trigger));
		const [{ json }] = started;
		expect(started).toHaveLength(1);
		expect(json).toMatchObject({ text: 'Hello', from: hiddenId(carl), senderId: hiddenId(carl) });
		const text = { resource: 'message', operation: 'sendText', to: json.from, text: 'Hi' };
		const { error } = await n8n.run({ parameters: text as INodeParameters, items: [{}] });
		expect(error?.message).toContain('looks like an ID, not like a phone number');
		expect(n8n.outbound).toHaveLength(3);
	});

	test('replies that a run has received are not late, whatever becomes of the run', async () => {
		const inbox = await n8n.publishInbox();
		const fail = { ...{ errorMessage: 'No such customer' } };
		const failing = [node('Fail', 'n8n-nodes-base.stopAndError', 1, fail)];
		for (const next of [failing, []]) {
			const id = await n8n.ask([anna, berta], {}, next);
			await n8n.untilDelivered([anna, berta].flatMap((one) => n8n.write(one, 'Yes').deliveries));
			expect(await n8n.replies(id)).toEqual(['Yes', 'Yes']);
		}
		await delay(5_000);
		n8n.write(carl, 'Hello');
		const started = (await n8n.executions(inbox, 1)).flatMap((one) => outputOf(one, trigger));
		expect(started.map(({ json }) => json.text)).toEqual(['Hello']);
	});

	test('a trigger that is switched off, and on after a crash of n8n, still knows who was asked', async () => {
		const inbox = await n8n.publishInbox();
		const id = await n8n.ask([anna, berta]);
		await n8n.untilDelivered(n8n.write(berta, 'two').deliveries);
		await n8n.client.deactivate(inbox);
		await n8n.crash();
		await n8n.client.activate(inbox);
		await n8n.untilDelivered(n8n.write(anna, 'one').deliveries);
		expect(await n8n.replies(id)).toEqual(['one', 'two']);
	});
});

/** What people write, and what they mean; null if the run cannot know it. */
const written: Array<[responseType: string, answers: Array<[text: string, answer: unknown]>]> = [
	[
		'date',
		[
			...[
				...[
					'2040-01-31',
					'31.01.2040',
					'31/01/2040',
					'1/31/2040',
					'31 January 2040',
					'Jan 31 2040',
				],
				...['January 31st, 2040', '31. Januar 2040', 'le 31 janvier 2040', '31 gennaio 2040'],
				...['31 de enero de 2040', '31 Jan 2040, after 4pm please', '31.1.2040', '2040/01/31'],
				'on 31 January 2040',
			].map((text): [string, unknown] => [text, '2040-01-31']),
			...['any day', 'soon', 'I do not know', 'next year', 'call me'].map(
				(text): [string, unknown] => [text, null],
			),
		],
	],
	[
		'choice',
		[
			...['Refund', 'refund pls', 'Refnd', 'I want a refund', 'the first one'].map(
				(text): [string, unknown] => [text, 'Refund'],
			),
			...['voucher please', '2', 'the second one', 'Voucher!'].map((text): [string, unknown] => [
				text,
				'Voucher',
			]),
			['neither', null],
		],
	],
	[
		'approval',
		[
			...['yes', 'yes please', 'ok fine', 'ja gerne', 'sure', '👍'].map(
				(text): [string, unknown] => [text, true],
			),
			...['no', 'nein danke'].map((text): [string, unknown] => [text, false]),
			...['perhaps', 'yes, but not today'].map((text): [string, unknown] => [text, null]),
		],
	],
];

test('twenty people answer a date, ten a choice and ten an approval on the phone: each is output with what they meant or with their words', async () => {
	await n8n.publishInbox();
	const asked = written.map(([responseType, answers], index) => ({
		responseType,
		people: answers.map(([text, answer], n) => ({
			...{ text, answer, phone: `+1555000${3000 + 100 * index + n}` },
		})),
	}));
	const runs: string[] = [];
	for (const { responseType, people } of asked)
		runs.push(
			await n8n.ask(
				people.map(({ phone }) => phone),
				{ responseType, choices: 'Refund, Voucher' },
			),
		);
	const all = asked.flatMap(({ people }) => people);
	// Some type on the page of the phone; the others write as the page does.
	const [typing, others] = partition(all, (one) => all.indexOf(one) % 5 === 0);
	const browser = await openBrowser();
	try {
		const tab = await browser.newPage();
		for (const { phone, text } of typing) {
			const chat = await Chat.open(tab, n8n.sandbox, phone);
			await chat.shows('Would Tuesday suit you?');
			await chat.write(text);
		}
	} finally {
		await browser.browser()?.close();
	}
	for (const { phone, text } of others) n8n.write(phone, text);
	await n8n.untilDelivered(n8n.sandbox.state.deliveries.log.last());
	const open = { resource: 'message', operation: 'getOpenQuestions', returnAll: true };
	const waiting = { ...open, status: 'waiting' };
	const { outputs, error } = await n8n.run({ parameters: waiting, items: [{}] });
	expect(error?.message).toBeUndefined();
	const unclear = all.filter(({ answer }) => answer === null);
	expect(outputs[0].map(({ json }) => [json.phone, json.lastText]).sort()).toEqual(
		unclear.map(({ phone, text }) => [phone, text]),
	);
	const end = { resource: 'message', operation: 'endWait', to: '={{ $json.phone }}' };
	await n8n.run({ parameters: end, items: unclear.map(({ phone }) => ({ phone })) });
	for (const [index, id] of runs.entries()) {
		const execution = await n8n.client.waitForExecution(id, 120_000);
		expect(outputOf(execution, tested).map(({ json }) => json)).toMatchObject(
			asked[index].people.map(({ phone: from, text, answer }) => ({
				...{ from, text, answer, replied: true, valid: answer !== null },
			})),
		);
	}
}, 480_000);

describe('without the inbox', () => {
	/** Asks two people, and has an item whose number is invalid between them. */
	async function ask(limitWaitTime: number, more: INodeParameters = {}): Promise<string> {
		const question = {
			...{ resource: 'message', operation: 'sendAndWait', to: '={{ $json.phone }}' },
			...{ message: 'Does Tuesday suit you?', responseType: 'approval' },
			...{ limitWaitTime, waitTimeUnit: 'minutes', ...more },
		};
		const items = [anna, 'no number', berta].map((phone) => ({ phone }));
		const onError = 'continueRegularOutput';
		const id = await n8n.start(workflowOf(n8n.playground, items, question, { onError }));
		await n8n.untilWaiting(id);
		return id;
	}
	const outputs = async (id: string) =>
		outputOf(await n8n.client.waitForExecution(id, 180_000), tested);
	const silent = (from: string) => ({
		replied: false,
		valid: false,
		approved: false,
		from,
		answer: null,
	});

	test('an inbox that is unpublished still gives a run what people wrote, as long as n8n is not restarted', async () => {
		const inbox = await n8n.publishInbox();
		const id = await ask(0.4);
		await n8n.untilDelivered(n8n.write(berta, 'perhaps').deliveries);
		await n8n.client.deactivate(inbox);
		expect((await outputs(id)).map(({ json }) => json)).toMatchObject([
			silent(anna),
			{ error: expect.stringContaining('phone number') as string },
			{ from: berta, replied: true, valid: false, text: 'perhaps' },
		]);
	});

	test('when n8n itself ends the wait, because the inbox is deleted, each item has its output with replied: false', async () => {
		const inbox = await n8n.publishInbox();
		const ids = [await ask(60), await ask(60, { replyOptions: { onTimeout: 'nothing' } })];
		await n8n.client.deactivate(inbox);
		await n8n.client.deleteWorkflow(inbox);
		await n8n.restart();
		await n8n.moveClock(3_600_000 + 120_000);
		for (const id of ids) {
			const items = await outputs(id);
			expect(items.map(({ json }) => json)).toMatchObject([
				silent(anna),
				{ error: expect.stringContaining('phone number') as string },
				silent(berta),
			]);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
				[0, 1, 2].map((item) => ({ item })),
			);
		}
	});
});
