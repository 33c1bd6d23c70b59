/** Audience Rules and Test: the run decides who gets a message before it sends the first one. */
import type { FaultOrder } from '../../../sandbox/faults';
import { locator, useService } from '../../../harness/engine/service';
import { anna, audienceRuns, berta, carl, dora, people, reasons } from './audienceRuns';

const service = useService();
const { run, sentTo } = audienceRuns(service);

test('excluded numbers, written in any way or given as a list, get nothing and come out as skipped items', async () => {
	const excludeNumbers = '=+1 (555) 000-1002{{ "\\n" }}{{ ["+15550001004"] }}';
	const { outputs } = await run({ rules: { excludeNumbers } });
	expect(sentTo().sort()).toEqual([anna, carl]);
	expect(outputs[0][1]).toEqual({
		json: { to: berta, sendStatus: 'skipped', reason: 'excluded', messageId: null, skipped: true },
		pairedItem: { item: 1 },
	});
});

test("local numbers in Exclude Numbers are read with the item's Default Country, also if other items have another one", async () => {
	const [austrian, german] = ['+436761234567', '+496761234567'];
	const { outputs } = await run({
		items: [
			{ phone: austrian, country: 'AT' },
			{ phone: german, country: 'DE' },
			{ phone: austrian, country: 'DE' },
		],
		rules: { excludeNumbers: '0676 1234567' },
		parameters: { options: { defaultCountry: '={{ $json.country }}' } },
	});
	expect(outputs[0].map(({ json }) => json.reason)).toEqual(['excluded', 'excluded', null]);
});

test('an excluded number that cannot be read stops the run before anything is sent', async () => {
	const { error } = await run({ rules: { excludeNumbers: `${berta}, 0170 12` } });
	expect(error?.message).toBe('"0170 12" in \'Exclude Numbers\' has no country code');
	expect(sentTo()).toEqual([]);
});

test('the contacts of an excluded segment get nothing; a hint names the contacts that the rule could not exclude', async () => {
	const { contacts } = service.sandbox.state;
	contacts.create({ phone: berta, segments: ['opted-out'] });
	contacts.create({ phone: dora, segments: ['vip', 'opted-out'] });
	const excluding = async (excludeSegment: string) => await run({ rules: { excludeSegment } });
	expect(reasons(await excluding('opted-out'))).toEqual([null, 'excluded', null, 'excluded']);
	expect(sentTo().sort()).toEqual([anna, carl]);
	service.list('listContacts', { id: 1, phone: berta }, { id: 2, phone: '0170 1234567' });
	const partial = await excluding('opted-out');
	expect(reasons(partial)).toEqual([null, 'excluded', null, null]);
	expect(partial.hints.map(({ message }) => message)).toEqual([
		'3 sent, 1 excluded.',
		"Some contacts of the segment \"opted-out\" have no phone number with country code, so they were not excluded. For local numbers, set 'Default Country' under 'Options'.",
	]);
});

test('a segment without any number that can be read stops the run, and the error says what to do', async () => {
	service.list('listContacts', { id: 1, phone: '0170 1234567' });
	const { error } = await run({ rules: { excludeSegment: 'opted-out' } });
	expect(error?.message).toContain(
		'No contact of the segment "opted-out" has a phone number with country code',
	);
	expect(error?.description).toMatch(
		/^For local numbers, set 'Default Country'.* use 'Exclude Numbers'/,
	);
	expect(sentTo()).toEqual([]);
});

test.each(['', 'GB'])(
	'local numbers in excluded lists are read with the Default Country of the node, whatever the credential has: "%s"',
	async (inCredential) => {
		service.list('listContacts', { id: 1, phone: berta }, { id: 2, phone: '0170 1234567' });
		const result = await run({
			items: ['0170/1234567', '0171 1234567', '0172 1234567'].map((phone) => ({ phone })),
			rules: { excludeSegment: 'opted-out', excludeNumbers: '(0172) 1234567' },
			parameters: { options: { defaultCountry: 'DE' } },
			credentials: service.credentials({ defaultCountry: inCredential }),
		});
		expect(reasons(result)).toEqual(['excluded', null, 'excluded']);
		expect(sentTo()).toEqual(['+491711234567']);
	},
);

test.each([
	['CA', '604 555 1234', '+60 4 555 1234 of Malaysia'],
	['US', '6095551234', '+60 9 555 1234 of Malaysia'],
	['US', '(435) 555-1234', '+43 5551234 of Austria'],
	['DE', '15112345678', '+1 511 234 5678, without its first 0'],
])(
	'with Default Country %s, the number %s in a segment excludes its local owner, though it may also be %s',
	async (defaultCountry, phone) => {
		service.list('listContacts', { id: 1, phone });
		const { outputs } = await run({
			items: [{ phone }],
			rules: { excludeSegment: 'opted-out' },
			parameters: { options: { defaultCountry } },
		});
		expect(outputs[0].map(({ json }) => json.reason)).toEqual(['excluded']);
	},
);

test('a segment without contacts stops the run before anything is sent, unless the user allows it', async () => {
	const rules = { excludeSegment: 'opted-uot' };
	expect((await run({ rules })).error).toMatchObject({
		message: 'The segment "opted-uot" of \'Exclude Segment\' has no contacts',
		description: expect.stringContaining("'Allow Empty List' in 'Audience Rules'"),
		context: { sendStatus: 'notSent' },
	});
	expect(sentTo()).toEqual([]);
	const allowed = await run({ rules: { ...rules, allowEmptyList: true } });
	expect(sentTo()).toHaveLength(people.length);
	expect(allowed.hints.map(({ message }) => message)).toEqual([
		'4 sent.',
		'The segment "opted-uot" has no contacts, so nobody was excluded by it.',
	]);
});

const noPhones = { data: [{ id: 1 }, { id: 2 }] };
const notWhole = { data: [{ id: 1, phone: berta }], total: 3 };

test.each<[string, FaultOrder, string, RegExp]>([
	['shows no phone numbers', { status: 200, body: noPhones }, 'has a phone number', /^For local/],
	['is not complete', { status: 200, body: notWhole }, '1 of 3', /^Its response does not/],
	['cannot be read', { status: 500 }, 'The service failed', /^Try again later/],
])('nothing is sent if the excluded segment %s', async (_, fault, words, advice) => {
	service.fault({ endpoint: 'listContacts', count: 99, ...fault });
	const rules = { excludeSegment: 'opted-out' };
	const { error } = await run({ rules });
	expect(error).toMatchObject({
		message: expect.stringContaining(words),
		description: expect.stringContaining('nothing was sent in this run'),
		context: { sendStatus: 'notSent' },
	});
	expect(error?.description).toMatch(advice);
	const { outputs } = await run({ rules, onError: 'continueRegularOutput' });
	expect(outputs[0].map(({ json }) => json.sendStatus)).toEqual(people.map(() => 'notSent'));
	expect(sentTo()).toEqual([]);
});

test('a segment that may be cut after a full page stops the run', async () => {
	const data = Array.from({ length: 100 }, (_, n) => ({
		id: `c${n}`,
		phone: `+1555200${1000 + n}`,
	}));
	service.fault({ endpoint: 'listContacts', status: 200, body: { data }, count: 99 });
	const { error } = await run({ rules: { excludeSegment: 'opted-out' } });
	expect(error?.message).toContain('The service returned only the first 100 contacts');
	expect(sentTo()).toEqual([]);
});

describe('the same person twice', () => {
	const items = [{ phone: anna }, { phone: berta }, { phone: '+1 555 000-1001' }];

	test('gets one message with Send First', async () => {
		const result = await run({ items, rules: { duplicates: 'sendFirst' } });
		expect(reasons(result)).toEqual([null, null, 'duplicate']);
		expect(sentTo().sort()).toEqual([anna, berta]);
	});

	test('gets no second message from a retry after one that may have been sent', async () => {
		const rules = { duplicates: 'sendFirst' };
		const fault = { match: anna, status: 500, processed: true, count: 9 };
		service.fault({ endpoint: 'sendText', ...fault });
		const { error } = await run({ items, rules, retryOnFail: true, maxTries: 2 });
		expect(error?.context?.sendStatus).toBe('mayHaveBeenSent');
		expect(sentTo().sort()).toEqual([anna, berta]);
	});

	test('gets the message of the second item if the first message was certainly not sent', async () => {
		const template = {
			operation: 'sendTemplate',
			template: locator('login_code', 'name'),
			language: locator('en_US', 'code'),
			variables: { mappingMode: 'defineBelow', value: { body_1: '={{ $json.code }}' } },
		};
		const result = await run({
			items: [
				{ phone: anna, code: '' },
				{ phone: anna, code: '4711' },
				{ phone: anna, code: '1' },
			],
			rules: { duplicates: 'sendFirst' },
			parameters: template,
			onError: 'continueRegularOutput',
		});
		const statuses = result.outputs[0].map(({ json }) => json.sendStatus);
		expect(statuses).toEqual(['notSent', 'sent', 'skipped']);
		expect(service.sent().map(({ text }) => text)).toEqual(['4711 is your login code.']);
	});

	test('stops the run before anything is sent, with Stop With Error', async () => {
		const { error } = await run({ items, rules: { duplicates: 'stop' } });
		expect(error?.message).toBe('The recipient is the same as in item 0 [item 2]');
		expect(sentTo()).toEqual([]);
	});
});

test('outside the send window nothing is sent, and the item says when it opens', async () => {
	const hour = new Date().getUTCHours();
	const at = (later: number, minute: string) => `${(hour + later) % 24}:${minute}`;
	const hours = `${at(4, '15')}–${at(5, '00')}, ${at(2, '00')}–${at(3, '30')}`;
	const window = { days: 'everyDay', hours, timeZone: 'UTC' };
	const { outputs } = await run({ rules: { sendWindow: { values: window } } });
	expect(sentTo()).toEqual([]);
	const { reason, sendAfter, sendBefore, timeZones } = outputs[0][0].json;
	expect([reason, timeZones]).toEqual(['outsideSendWindow', 'UTC']);
	expect(Date.parse(String(sendBefore)) - Date.parse(String(sendAfter))).toBe(1.5 * 3_600_000);
	const opening = new Date(String(sendAfter));
	expect([opening.getUTCHours(), opening.getUTCMinutes()]).toEqual([(hour + 2) % 24, 0]);
	expect(opening.getTime() - Date.now()).toBeLessThan(3 * 3_600_000);
});

async function sendWithin(phone: string, window: object) {
	const sendWindow = { values: { days: 'everyDay', ...window } };
	return await run({ items: [{ phone }], rules: { sendWindow } });
}

test.each([
	['+491701234567', '0:00-24:00'],
	['+491701234567', '12:00 to 18:00; 18:00–12:00'],
	['+12025550123', '0:00–24:00'],
])('%s gets messages at any time with the hours %s', async (phone, hours) => {
	expect((await sendWithin(phone, { hours })).error).toBeUndefined();
	expect(sentTo()).toEqual([phone]);
});

test.each([
	['+18002345678', { hours: '9:00–10:00' }, "There is no moment at which 'Send Window' is open"], // its recipient may be in any time zone of +1
	['+80012345678', {}, 'The time zone of this phone number is not known'],
	...[
		'24:00–25:00',
		'09:00–09:00',
		'0:00–0:00',
		'24:00–9:00',
		'9 am–5 pm',
		'9:00',
		'9:00–9:60',
		'',
		'9:00–10:00–11:00',
	].map((hours): [string, object, string] => [
		anna,
		{ hours: `8:00–9:00, ${hours}` },
		`'Hours' of 'Send Window' cannot contain "${hours}"`,
	]),
	[anna, { timeZone: 'Berlin' }, "'Time Zone' of 'Send Window' cannot be \"Berlin\""],
])('%s gets nothing with the send window %j: %s', async (phone, window, message) => {
	const { error } = await sendWithin(phone, window);
	expect(error?.message).toContain(message);
	expect(sentTo()).toEqual([]);
});

test.each([
	['everyDay', 'Mon Tue Wed Thu Fri Sat Sun'],
	['mondayToFriday', 'Mon Tue Wed Thu Fri'],
	['mondayToSaturday', 'Mon Tue Wed Thu Fri Sat'],
	['sundayToThursday', 'Mon Tue Wed Thu Sun'],
])(
	'with the days %s, the window is open on %s, from its first minute to its last',
	async (days, open) => {
		const sendWindow = { values: { days, hours: '09:00–17:00', timeZone: 'UTC' } };
		const isSent = async (day: number, time: string) => {
			const now = Date.parse(`2030-04-0${day}T${time}Z`);
			const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
			const result = await run({ rules: { sendWindow }, items: [{ phone: anna }] });
			clock.mockRestore();
			return reasons(result)[0] === null;
		};
		const week = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']; // 1 April 2030 is a Monday
		for (const [index, name] of week.entries()) {
			const isOpen = open.split(' ').includes(name);
			const expected = {
				'08:59:59': false,
				'09:00:00': isOpen,
				'16:59:59': isOpen,
				'17:00:00': false,
			};
			for (const [time, isExpected] of Object.entries(expected))
				expect([name, time, await isSent(index + 1, time)]).toEqual([name, time, isExpected]);
		}
	},
);

describe('the frequency cap', () => {
	const rules = { frequencyCap: { values: { messages: 2, per: 'week' } } };
	const workflowId = 'with a cap';

	test('counts messages over all workflows of the project, but not unsent ones', async () => {
		service.fault({ endpoint: 'sendText', match: berta, status: 422 });
		await run({ rules, workflowId, onError: 'continueRegularOutput' });
		await run({ rules, workflowId });
		const expected = ['frequencyCap', null, 'frequencyCap', 'frequencyCap'];
		expect(reasons(await run({ rules, workflowId: 'another workflow' }))).toEqual(expected);
		expect(sentTo().filter((phone) => phone === berta)).toHaveLength(2);
		expect(sentTo()).toHaveLength(8);
	});

	test('counts messages of all campaigns, and those of people whose row was edited', async () => {
		const once = { sendOnce: true, campaign: 'sale' };
		await run({ parameters: once });
		service.engine.tables.edit((rows) =>
			rows.map((row, index) => ({
				...row,
				...[{ status: 'notSent' }, { status: '?' }, { phone: '(555) 000-1003' }, { sentAt: null }][
					index
				],
			})),
		);
		const onePer = { frequencyCap: { values: { messages: 1, per: 'week' } } };
		const capped = ['frequencyCap', 'frequencyCap', 'frequencyCap'];
		expect(reasons(await run({ rules: onePer }))).toEqual([null, ...capped]);
	});

	test('counts each row that people have added, although they have no key', async () => {
		await run({ rules, items: [{ phone: berta }] });
		for (const status of ['sent', 'by phone']) service.engine.tables.add({ phone: anna, status });
		service.engine.tables.add({ phone: carl, status: 'sent' });
		const items = [anna, carl].map((phone) => ({ phone }));
		expect(reasons(await run({ rules, items }))).toEqual(['frequencyCap', null]);
	});

	test('does not count messages that Send Once skips', async () => {
		const workflowId = 'with a cap and Send Once';
		const once = { sendOnce: true, campaign: 'sale' };
		await run({ rules, workflowId, parameters: once });
		const second = await run({ rules, workflowId, parameters: once });
		expect(reasons(second)).toEqual(people.map(() => 'alreadySent'));
		await run({ rules, workflowId });
		expect(sentTo()).toHaveLength(8);
	});

	test.each([
		['day', '2030-03-02T00:00:00Z 2030-03-02T23:59:59Z', '2030-03-03T00:00:00Z'],
		['week', '2030-02-25T00:00:00Z 2030-02-27T12:00:00Z 2030-03-03T23:59:59Z', '2030-03-04T00:00Z'],
		['week', '2029-12-31T00:00:00Z 2030-01-01T00:00:00Z 2030-01-06T23:59:59Z', '2030-01-07T00:00Z'],
		[
			'month',
			'2030-02-01T00:00:00Z 2030-02-15T12:00:00Z 2030-02-28T23:59:59Z',
			'2030-03-01T00:00Z',
		],
	])(
		'counts by calendar %s in UTC: %s are in the same one, and %s is in the next',
		async (per, times, next) => {
			const workflowId = `a cap per ${per} until ${next}`;
			const onePer = { frequencyCap: { values: { messages: 1, per } } };
			const at = async (time: string) => {
				const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));
				const result = await run({ rules: onePer, workflowId, items: [{ phone: anna }] });
				clock.mockRestore();
				return reasons(result)[0];
			};
			const [first, ...others] = times.split(' ');
			expect(await at(first)).toBeNull();
			for (const time of others) expect([time, await at(time)]).toEqual([time, 'frequencyCap']);
			expect([await at(next), await at(next)]).toEqual([null, 'frequencyCap']);
		},
	);
});

test('a test goes only to the test number, which may be a local one, and leaves nothing behind', async () => {
	const once = { sendOnce: true, campaign: 'sale' };
	const mode = { mode: 'test', testNumber: '0170 1234567', testMessages: 2 };
	const options = { defaultCountry: 'DE' };
	const { outputs } = await run({ parameters: { ...once, ...mode, options } });
	expect(service.sent()).toMatchObject([
		{ phone: '+491701234567', text: `Hello ${anna}` },
		{ phone: '+491701234567', text: `Hello ${berta}` },
	]);
	expect(outputs[0].map(({ json }) => [json.sendStatus, json.meantFor ?? json.to])).toEqual([
		['test', anna],
		['test', berta],
		['skipped', carl],
		['skipped', dora],
	]);
	await run({ parameters: once });
	expect(sentTo().slice(2).sort()).toEqual([anna, berta, carl, dora]);
});

test('no Audience Rule holds back a test message', async () => {
	const own = '+491701234567';
	const rules = { duplicates: 'sendFirst', excludeNumbers: own, excludeSegment: 'nobody' };
	const mode = { mode: 'test', testNumber: own, testMessages: 3 };
	const result = await run({ rules, parameters: mode });
	expect(result.error).toBeUndefined();
	expect(reasons(result)).toEqual([null, null, null, 'notInTest']);
	expect(sentTo()).toEqual([own, own, own]);
});
