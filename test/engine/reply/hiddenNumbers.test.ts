/** Replies of people whose number the service hides: a person is recognized by the message that the reply quotes. */
import { Triggers, received, useService } from '../../../harness/engine/service';
import { hiddenId } from '../../../sandbox/ids';
import { People, anna, berta, carl, jsonOf, startedBy } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
let count = 0;
const other = async (options: object = {}) =>
	await triggers.active({ webhookId: `hidden-${++count}`, ...options });
const inbox = async (options: object = {}) =>
	await other({ parameters: { keepReplies: true }, ...options });
const hide = (hidesNumbers = true) => Object.assign(people.state.settings, { hidesNumbers });
const questionTo = (phone: string) =>
	people.state.messages.withCustomer(phone).findLast(({ direction }) => direction === 'outbound')!
		.id;
const replyOf = (phone: string, text: string) => ({
	...{ replied: true, valid: true, text, from: phone, senderId: hiddenId(phone) },
	askedMessageId: expect.any(String),
});

test.each([1, 2])(
	'with %i triggers, several people are each recognized by the question that they quote, and start no workflow',
	async (number) => {
		const all = [];
		for (let made = 0; made < number; made++) all.push(made === 0 ? await inbox() : await other());
		const execution = await people.ask([anna, berta, carl]);
		hide();
		await people.write(berta, 'hers');
		await people.write(carl, 'I quote nothing', '');
		await people.write(anna, 'mine');
		await people.write(berta, 'Thanks', '');
		hide(false);
		await people.write(carl, 'his');
		const json = await jsonOf(execution);
		expect(json).toMatchObject([
			replyOf(anna, 'mine'),
			replyOf(berta, 'hers'),
			{ text: 'his', from: carl },
		]);
		expect(json[2]).not.toHaveProperty('senderId');
		for (const trigger of all) expect(startedBy(trigger)).toEqual(['I quote nothing', 'Thanks']);
	},
);

test('a person who has quoted the question once is recognized later: after a repetition, and with several messages in a row', async () => {
	const [first, second] = [await inbox(), await other()];
	const approval = await people.ask([anna, berta], { responseType: 'approval' });
	const grouped = await people.ask([carl, berta], { replyOptions: { furtherMessages: 2 } });
	hide();
	await people.write(anna, 'perhaps');
	expect(service.received()).toEqual({ [anna]: 2, [berta]: 2, [carl]: 1 });
	await people.write(anna, 'yes', '');
	await people.write(carl, 'Hm');
	await people.write(carl, 'Tuesday', '');
	await people.write(berta, 'Monday');
	expect(await jsonOf(grouped)).toMatchObject([
		replyOf(carl, 'Hm\nTuesday'),
		replyOf(berta, 'Monday'),
	]);
	const [asked] = people.state.messages.withCustomer(berta);
	await people.write(berta, 'well', asked.id);
	await people.write(berta, 'no', '');
	expect(await jsonOf(approval)).toMatchObject([
		{ ...replyOf(anna, 'yes'), approved: true },
		{ ...replyOf(berta, 'no'), approved: false },
	]);
	expect([first, second].flatMap(startedBy)).toEqual([]);
});

test('if a person was asked two questions, the quoted one gets the reply, whether the number is hidden or not', async () => {
	await inbox();
	for (const isHidden of [false, true]) {
		const earlier = await people.ask([anna]);
		const question = questionTo(anna);
		const later = await people.ask([anna]);
		hide(isHidden);
		await people.write(anna, 'to the earlier one', question);
		expect(await jsonOf(earlier)).toMatchObject([{ text: 'to the earlier one' }]);
		expect(later.outputs).toBeUndefined();
		await people.write(anna, 'to the later one', questionTo(anna));
		expect(await jsonOf(later)).toMatchObject([{ text: 'to the later one' }]);
		hide(false);
	}
});

test('a quote is ignored if it can mean two people, or if the sender has another number', async () => {
	const trigger = await inbox();
	service.fault({ endpoint: 'sendText', status: 200, body: { id: '5' }, count: 2 });
	const execution = await people.ask([anna, berta]);
	const quoting = { context: { id: '5' } };
	for (const from of ['US.1234567', carl])
		await triggers.deliver(trigger, received({ id: from, from, text: from, ...quoting }));
	expect(startedBy(trigger)).toEqual(['US.1234567', carl]);
	for (const from of [anna, berta])
		await triggers.deliver(trigger, received({ id: from, from, text: from, ...quoting }));
	expect(await jsonOf(execution)).toMatchObject([{ text: anna }, { text: berta }]);
});

test('a sender about whom the service shows nothing is recognized only by the quote', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	for (const phone of [berta, anna])
		await triggers.deliver(
			trigger,
			received({ id: phone, from: null, text: phone, context: { id: questionTo(phone) } }),
		);
	const json = await jsonOf(execution);
	expect(json).toMatchObject([
		{ from: anna, text: anna },
		{ from: berta, text: berta },
	]);
	expect(json[0]).not.toHaveProperty('senderId');
	expect(startedBy(trigger)).toEqual([]);
});

test('while a run still asks others, the people who were asked are recognized by their questions', async () => {
	const trigger = await inbox();
	const many = Array.from({ length: 41 }, (_, n) => `+1555000${3000 + n}`);
	service.fault({ endpoint: 'sendText', match: many[40], delayMs: 3_000 });
	const credentials = service.credentials({ requestsPerMinute: 600 });
	const asking = people.ask(
		many,
		{ limitWaitTime: 0.1, waitTimeUnit: 'minutes', options: { concurrency: 5 } },
		{ credentials },
	);
	await people.untilAsked(many[40]);
	hide();
	await people.write(many[0], 'soon');
	expect(await jsonOf(await asking)).toMatchObject([
		replyOf(many[0], 'soon'),
		...many.slice(1).map(() => ({ replied: false })),
	]);
	expect(startedBy(trigger)).toEqual([]);
});

test('one person is recognized too, also after a repetition; nobody else is taken for the person', async () => {
	await inbox();
	const execution = await people.ask([anna], { responseType: 'approval' });
	hide();
	await people.write(berta, 'yes');
	await people.write(anna, 'yes', '');
	expect(execution.outputs).toBeUndefined();
	await people.write(anna, 'perhaps');
	expect(service.received()).toEqual({ [anna]: 2 });
	await people.write(anna, 'yes', '');
	expect(await jsonOf(execution)).toMatchObject([{ ...replyOf(anna, 'yes'), approved: true }]);
});

test('a reply that comes too late shows the number that was asked, and the sender’s ID', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	hide();
	await people.write(anna, 'mine');
	execution.stop();
	await people.write(berta, 'hers');
	const items = await people.itemsOf(trigger, 2);
	const late = (phone: string) => ({ late: true, from: phone, senderId: hiddenId(phone) });
	expect(items).toMatchObject([late(anna), late(berta)]);
});
