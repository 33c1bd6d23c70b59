/** What the fields of a question mean. */
import { readSettings } from '../../nodes/BusinessMessaging/operations/message/question';

type Values = Parameters<typeof readSettings>[0];

const untouched = {
	responseType: 'freeText',
	choices: '',
	limitWaitTime: 24,
	waitTimeUnit: 'hours',
	replyOptions: {},
};
const read = (values: object = {}) => readSettings({ ...untouched, ...values } as Values);

test('untouched, they mean a free answer within a day, two repetitions, and an item for who does not answer', () => {
	expect(read()).toEqual({
		kind: 'freeText',
		choices: [],
		limitMs: 24 * 60 * 60_000,
		repeats: 2,
		repeatText: '',
		yesWords: expect.arrayContaining(['yes', 'ja', '👍']),
		noWords: expect.arrayContaining(['no', 'nein', '👎']),
		isDayFirst: true,
		givesUnanswered: true,
	});
	expect(read({ replyOptions: undefined })).toEqual(read());
});

test.each<[object, object]>([
	[{ responseType: 'choice', choices: ' S, M ,\nL' }, { choices: ['S', 'M', 'L'] }],
	[{ responseType: 'number' }, { kind: 'number', choices: [] }],
	[{ limitWaitTime: 90, waitTimeUnit: 'minutes' }, { limitMs: 90 * 60_000 }],
	[{ limitWaitTime: 365, waitTimeUnit: 'days' }, { limitMs: 365 * 24 * 60 * 60_000 }],
	[{ replyOptions: { repeats: 3.9 } }, { repeats: 3 }],
	[{ replyOptions: { repeats: -1 } }, { repeats: 0 }],
	[{ replyOptions: { repeats: 'many' } }, { repeats: 0 }],
	[{ replyOptions: { repeats: null } }, { repeats: 2 }],
	[{ replyOptions: { repeatText: ' Once more? ' } }, { repeatText: 'Once more?' }],
	[{ replyOptions: { yesWords: ' aye,\nyo ,,' } }, { yesWords: ['aye', 'yo'] }],
	[{ replyOptions: { noWords: 'nay' } }, { noWords: ['nay'] }],
	[{ replyOptions: { dateOrder: 'monthFirst' } }, { isDayFirst: false }],
	[{ replyOptions: { onTimeout: 'nothing' } }, { givesUnanswered: false }],
])('%j means %j', (values, settings) => {
	expect(read(values)).toMatchObject(settings);
});

const noTime = "'Limit Wait Time' is not a time between 0 and 365 days";
const enterTime = 'Enter how long to wait for the answer.';

test.each<[object, string, string]>([
	[{ limitWaitTime: 0 }, noTime, enterTime],
	[{ limitWaitTime: 365.01, waitTimeUnit: 'days' }, noTime, enterTime],
	[{ limitWaitTime: 'long' }, noTime, enterTime],
	[{ waitTimeUnit: 'weeks' }, noTime, enterTime],
	[{ responseType: 'choice', choices: ' , \n' }, "'Choices' is empty", 'Enter the possible'],
])('%j is refused: %s', (values, message, description) => {
	expect(() => read(values)).toThrow(
		expect.objectContaining({ message, description: expect.stringContaining(description) }),
	);
});
