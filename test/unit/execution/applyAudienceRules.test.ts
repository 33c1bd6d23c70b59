/** Who is left out before the first message, who is remembered for later rounds, and when a closed window opens. */
import { attempt } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	applyAudienceRules,
	outsideWindow,
	rememberRecipients,
} from '../../../nodes/BusinessMessaging/execution/applyAudienceRules';
import {
	type Outcome,
	type ValidItem,
	skip,
} from '../../../nodes/BusinessMessaging/execution/item';
import { LastCheck } from '../../../nodes/BusinessMessaging/execution/lastCheck';
import { Rounds } from '../../../nodes/BusinessMessaging/execution/rounds';
import type {
	Audience,
	SendWindow,
} from '../../../nodes/BusinessMessaging/operations/sending/audienceRules';
import type { Client } from '../../../nodes/BusinessMessaging/transport/client';
import { type InputError, ServiceError } from '../../../nodes/BusinessMessaging/transport/errors';

const [anna, ben, cleo] = ['+15550001001', '+15550001002', '+15550001003'];
const client = { hints: new Set() } as unknown as Client;
const none: Audience = {
	...{ duplicates: 'sendAll', excludedSegment: '', country: '' },
	...{ allowsEmptyList: false, excludesOptOuts: false },
};
/** @param rules undefined for an item without rules, as with an expression that is empty for some items */
const item = (
	index: number,
	to: string,
	rules?: Partial<Audience>,
	more: object = {},
): ValidItem => ({
	...{ index, input: {} },
	request: { body: { to }, rules: rules && { audience: { ...none, ...rules } } },
	...more,
});

/** An execution whose rounds have one item each. */
class Execution {
	round = 0;
	type = 'x.businessMessaging';
	readonly stored = {};

	rounds(): Rounds {
		return new Rounds({
			getContext: () => this.stored,
			getWorkflowDataProxy: () => ({ $runIndex: this.round }),
			getInputData: () => [{ json: {} }],
			getNode: () => ({ name: 'Send', type: this.type }),
			getParentNodes: () => [{ name: 'Start' }],
			getChildNodes: () => [],
		} as unknown as IExecuteFunctions);
	}
}

let execution: Execution;
beforeEach(() => (execution = new Execution()));
const apply = async (...items: ValidItem[]) => {
	await applyAudienceRules(client, items, execution.rounds());
	return items.map(({ outcome }) => {
		if (outcome === undefined) return 'pending';
		return 'failure' in outcome ? outcome.failure.message : outcome.records[0].reason;
	});
};

describe('duplicates', () => {
	const stop = { duplicates: 'stop' } as const;
	const first = { duplicates: 'sendFirst' } as const;

	test('that stop the run name the first item of their recipient', async () => {
		const same = 'The recipient is the same as in item 0';
		const third = item(2, anna, stop);
		expect(
			await apply(item(0, anna, stop), item(1, anna, stop), third, item(3, ben, stop)),
		).toEqual(['pending', same, same, 'pending']);
		const { failure } = third.outcome as { failure: InputError };
		expect(failure.description).toBe(
			"Remove one of the two items, or change 'Duplicates' in 'Audience Rules'.",
		);
	});

	test('of an earlier call of a tool are named so', async () => {
		execution.type = 'x.businessMessagingTool';
		execution.rounds().add(anna);
		execution.round = 1;
		const again = item(0, anna, stop);
		expect(await apply(again, item(1, ben, stop))).toEqual([
			'The recipient is the same as in an earlier run of this node',
			'pending',
		]);
		const { failure } = again.outcome as { failure: InputError };
		expect(failure.description).toBe("To allow this, change 'Duplicates' in 'Audience Rules'.");
	});

	test('may be treated differently by each item; items without rules are sent', async () => {
		const items = [item(0, anna), item(1, anna, first), item(2, anna, first), item(3, anna, {})];
		expect(await apply(...items, item(4, anna))).toEqual([
			...['pending', 'pending', 'duplicate', 'pending', 'pending'],
		]);
	});

	test('of an item that an earlier attempt has sent are left out, and that item keeps its result', async () => {
		const outcome = { records: [{ reason: 'sent before' }] };
		const sent = item(0, anna, first, { outcome });
		expect(await apply(sent, item(1, anna, first), item(2, ben, first))).toEqual([
			...['sent before', 'duplicate', 'pending'],
		]);
	});

	test('are not looked for if an earlier attempt has carried out all items', async () => {
		execution.round = 1; // where 'Stop With Error' would be an error
		const done = { outcome: { records: [{ reason: 'sent before' }] } };
		expect(await apply(item(0, anna, stop, done), item(1, ben))).toEqual([
			'sent before',
			'pending',
		]);
	});

	test('need the other rounds only where a rule does', async () => {
		const forget = () => {
			execution = new Execution();
			execution.round = 1;
		};
		forget();
		expect(await apply(item(0, anna, {}), item(1, ben))).toEqual(['pending', 'pending']);
		forget();
		await expect(apply(item(0, anna, {}), item(1, ben, first))).rejects.toThrow(
			"'Send First' needs all items at once",
		);
		await expect(apply(item(0, anna), item(1, ben, stop))).rejects.toThrow(
			"'Stop With Error' needs all items at once, but this node has already run",
		);
	});
});

test('excluded people are left out, each item with its own rule', async () => {
	const excluded = { excludeNumbers: `${anna}, ${ben}` };
	expect(
		await apply(item(0, anna, excluded), item(1, cleo, excluded), item(2, anna, {}), item(3, ben)),
	).toEqual(['excluded', 'pending', 'pending', 'pending']);
});

test('an item whose list of excluded numbers cannot be read fails, and its person gets the message of the next item', async () => {
	const rules = { duplicates: 'sendFirst' } as const;
	const broken = { ...rules, excludeNumbers: `${ben}, 0170 12` };
	expect(await apply(item(0, anna, broken), item(1, anna, rules), item(2, ben, broken))).toEqual([
		`"0170 12" in 'Exclude Numbers' has no country code`,
		'pending',
		`"0170 12" in 'Exclude Numbers' has no country code`,
	]);
});

describe('a test', () => {
	const testItem = (index: number, testMessages: number) =>
		({
			...{ index, input: {} },
			request: { body: { to: cleo }, rules: { test: { testMessages, meantFor: anna } } },
		}) as ValidItem;

	test('leaves out what comes after the first messages, over all rounds; items without a test are sent', async () => {
		const items = [item(0, ben), testItem(1, 2), testItem(2, 2), item(3, ben)];
		expect(await apply(...items)).toEqual(['pending', 'pending', 'notInTest', 'pending']);
		execution.round = 1;
		expect(await apply(testItem(0, 2))).toEqual(['pending']);
		execution.round = 2;
		expect(await apply(testItem(0, 2))).toEqual(['notInTest']);
	});

	test('does not change what an earlier attempt has sent', async () => {
		const sent = { ...testItem(5, 2), outcome: { records: [{ reason: 'sent before' }] } };
		expect(await apply(sent)).toEqual(['sent before']);
	});
});

test.each<[what: string, outcome: Outcome | undefined, isRemembered: boolean]>([
	['who will get a message', undefined, true],
	['who got one', { records: [{ sendStatus: 'accepted' }] }, true],
	['whose message had no result', { records: [] }, true],
	[
		'whose message may have been sent',
		{ failure: new ServiceError('No', { kind: 'uncertain' }) },
		true,
	],
	['who is excluded', skip(item(0, anna), 'excluded'), true],
	['who is outside the send window', skip(item(0, anna), 'outsideSendWindow'), false],
	['whose message is a duplicate', skip(item(0, anna), 'duplicate'), false],
])('for later rounds, a person %s is remembered: %#', async (_, outcome, isRemembered) => {
	const rounds = execution.rounds();
	await rememberRecipients([item(0, ben), item(1, anna, {}, { outcome })], rounds);
	execution.round = 1;
	expect(execution.rounds().hasEarlier(anna)).toBe(isRemembered);
	expect(execution.rounds().hasEarlier(ben)).toBe(false); // no rules apply to this item
});

describe('outside the Send Window', () => {
	const window = (hours: [number, number], zone = ''): SendWindow => ({
		days: [1, 2, 3, 4, 5, 6, 7],
		periods: [{ opens: hours[0] * 60, closes: hours[1] * 60 }],
		zone,
	});
	const at = (time: string) => jest.spyOn(Date, 'now').mockReturnValue(Date.parse(time));
	const result = (to: string, one?: SendWindow) => {
		const outcome = outsideWindow(item(0, to, { window: one }));
		return outcome && ('failure' in outcome ? outcome.failure.message : outcome.records[0]);
	};

	test('the result says when the window opens and closes next', () => {
		at('2030-01-15T21:30:40.000Z');
		expect(result(anna, window([9, 20], 'UTC'))).toEqual({
			...{ to: anna, sendStatus: 'skipped', skipped: true, reason: 'outsideSendWindow' },
			...{ messageId: null, timeZones: 'UTC' },
			sendAfter: '2030-01-16T09:00:00Z',
			sendBefore: '2030-01-16T20:00:00Z',
		});
		at('2030-01-16T19:59:59.999Z');
		expect(result(anna, window([9, 20], 'UTC'))).toBeUndefined();
		at('2030-01-16T20:00:00.000Z');
		expect(result(anna, window([9, 20], 'UTC'))).toBeDefined();
	});

	test.each([
		['+33612345678', 'Europe/Paris'],
		[
			'+18671234567',
			'America/Edmonton, America/Fort_Nelson, America/Toronto, America/Vancouver, America/Winnipeg',
		],
		['+77011234567', '7 time zones'],
		['+18005550100', '75 time zones'],
	])('the result for %s names up to five time zones: %s', (to, timeZones) => {
		at('2030-01-15T03:30:00.000Z');
		expect(result(to, window([9, 21]))).toMatchObject({ timeZones });
	});

	test('an error is the same for all items', () => {
		at('2030-01-15T03:00:00.000Z');
		const impossible = "There is no moment at which 'Send Window' is open in all time zones";
		const longer = "Make the window longer, or set 'Time Zone' in 'Send Window'.";
		for (const to of ['+18005550100', '+18005550101']) {
			const error = attempt(result, to, { ...window([10, 11]), days: [1] }) as InputError;
			expect(error.message).toContain(impossible);
			expect(error.description).toBe(longer);
		}
		const unknown = attempt(result, '+80012345678', window([10, 11])) as InputError;
		expect(unknown.message).toBe('The time zone of this phone number is not known');
		expect(unknown.description).toBe("Set 'Time Zone' in 'Send Window'.");
	});

	test('without a window, no time is outside', () => {
		expect(result(anna)).toBeUndefined();
		expect(outsideWindow(item(0, anna))).toBeUndefined();
		expect(outsideWindow({ ...item(0, anna), request: {} })).toBeUndefined();
	});

	test('a message that waited until the window closed is left out; another failure stays', async () => {
		at('2030-01-15T12:00:00.000Z');
		const message = item(0, anna, { window: window([9, 20], 'UTC') });
		const cancelled = { failure: new ServiceError('Held back', { kind: 'cancelled' }) };
		const refused = { failure: new ServiceError('No', { kind: 'refused' }) };
		const guard = async (outcome: Outcome, end = '2030-01-15T20:00:00.000Z') => {
			at('2030-01-15T12:00:00.000Z');
			return await new LastCheck().guard(message, async () => {
				at(end);
				return await Promise.resolve(outcome);
			});
		};
		expect(await guard(cancelled)).toMatchObject({ isLeftOut: true });
		expect(await guard(cancelled, '2030-01-15T12:01:00.000Z')).toBe(cancelled);
		expect(await guard(refused)).toBe(refused);
		at('2030-01-15T22:00:00.000Z');
		const send = jest.fn();
		expect(await new LastCheck().guard(message, send)).toMatchObject({ isLeftOut: true });
		expect(send).not.toHaveBeenCalled();
	});
});
