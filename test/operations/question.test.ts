/** What the fields of a question mean. */
import { readSettings } from '../../nodes/BusinessMessaging/operations/message/question';

type Values = Parameters<typeof readSettings>[0];

const read = (values: Partial<Values> = {}) =>
	readSettings({
		responseType: 'freeText',
		choices: '',
		timeLimit: 24,
		timeUnit: 'hours',
		replyOptions: {},
		...values,
	});
const day = 24 * 60 * 60_000;

test('untouched, they mean a free answer within a day, two repetitions, and an item for who does not answer', () => {
	expect(read()).toEqual({
		kind: 'freeText',
		choices: [],
		limitMs: day,
		repeats: 2,
		repeatText: '',
		yesWords: expect.arrayContaining(['yes', 'ja', '👍']),
		noWords: expect.arrayContaining(['no', 'nein', '👎']),
		isDayFirst: true,
		givesUnanswered: true,
	});
	expect(read({ replyOptions: undefined })).toEqual(read());
});

test('each of them counts', () => {
	const replyOptions = {
		repeats: 3.9,
		repeatText: ' Once more? ',
		yesWords: ' aye,\nyo ,,',
		noWords: 'nay',
		dateOrder: 'monthFirst',
		whenTimeIsUp: 'nothing',
	} as const;
	expect(
		read({
			responseType: 'choice',
			choices: ' Small, Medium ,\nLarge',
			timeLimit: 90,
			timeUnit: 'minutes',
			replyOptions,
		}),
	).toEqual({
		kind: 'choice',
		choices: ['Small', 'Medium', 'Large'],
		limitMs: 90 * 60_000,
		repeats: 3,
		repeatText: 'Once more?',
		yesWords: ['aye', 'yo'],
		noWords: ['nay'],
		isDayFirst: false,
		givesUnanswered: false,
	});
	expect(
		read({ replyOptions: { dateOrder: 'dayFirst', whenTimeIsUp: 'item', repeats: 0 } }),
	).toMatchObject({ isDayFirst: true, givesUnanswered: true, repeats: 0 });
});

test.each<[unknown, number]>([
	[-1, 0],
	['2', 2],
	['many', 0],
	[null, 2],
])('%j repetitions are %i', (repeats, times) => {
	expect(read({ replyOptions: { repeats: repeats as number } }).repeats).toBe(times);
});

test.each<[number, string]>([
	[365, 'days'],
	[0.001, 'minutes'],
])('%d %s are a time limit', (timeLimit, timeUnit) => {
	expect(read({ timeLimit, timeUnit: timeUnit as 'days' }).limitMs).toBeGreaterThan(0);
});

test.each<[unknown, string]>([
	[0, 'hours'],
	[-1, 'hours'],
	[365.01, 'days'],
	['long', 'days'],
	[1, 'weeks'],
])('%j %s are none', (timeLimit, timeUnit) => {
	expect(() => read({ timeLimit: timeLimit as number, timeUnit: timeUnit as 'days' })).toThrow(
		expect.objectContaining({
			message: 'The Time Limit is not a time between 0 and 365 days',
			description: 'Enter how long to wait for the answer.',
		}),
	);
});

test('a list without choices is refused, a choice without a list is not asked for', () => {
	expect(() => read({ responseType: 'choice', choices: ' , \n' })).toThrow(
		expect.objectContaining({
			message: 'Choices is empty',
			description: 'Enter the possible answers, separated by commas.',
		}),
	);
	expect(read({ responseType: 'number', choices: '' }).choices).toEqual([]);
});
