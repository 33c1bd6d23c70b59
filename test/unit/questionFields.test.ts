/** The fields of Send and Wait, as they are filled in. */
import { readSettings } from '../../nodes/BusinessMessaging/operations/sending/questionFields';

describe('the fields of a question', () => {
	type Values = Parameters<typeof readSettings>[0];

	const untouched = {
		responseType: 'freeText',
		choices: '',
		limitWaitTime: 24,
		waitTimeUnit: 'hours',
		replyOptions: {},
	};
	const read = (values: object = {}) =>
		readSettings({ ...untouched, ...values } as Values, 'Europe/Paris', ' Which day? ');

	test('ask by default for a free text within a day, with two repetitions', () => {
		expect(read()).toEqual({
			kind: 'freeText',
			choices: [],
			limitMs: 24 * 60 * 60_000,
			repeats: 2,
			repeatText: '',
			yesWords: expect.arrayContaining(['yes', 'ja', '👍']),
			noWords: expect.arrayContaining(['no', 'nein', '👎']),
			dateOrder: 'ask',
			notBeforeToday: true,
			timeZone: 'UTC',
			questionText: '',
			givesUnanswered: true,
			groupMs: 0,
		});
		expect(read({ replyOptions: undefined })).toEqual(read());
	});

	test.each<[object, object]>([
		[{ responseType: 'choice', choices: ' S, M ,\nL' }, { choices: ['S', 'M', 'L'] }],
		[{ limitWaitTime: 90, waitTimeUnit: 'minutes' }, { limitMs: 90 * 60_000 }],
		[{ limitWaitTime: 365, waitTimeUnit: 'days' }, { limitMs: 365 * 24 * 60 * 60_000 }],
		[
			{ repeatText: ' Once more? ', replyOptions: { repeats: 3.9, yesWords: ' aye,\nyo ,,' } },
			{ repeats: 3, repeatText: 'Once more?', yesWords: ['aye', 'yo'] },
		],
		[{ replyOptions: { repeats: 0 } }, { repeats: 0 }],
		[
			{ responseType: 'date' },
			{ notBeforeToday: true, timeZone: 'Europe/Paris', questionText: 'Which day?' },
		],
		[
			{ responseType: 'date', replyOptions: { notBeforeToday: false, dateOrder: 'monthFirst' } },
			{ notBeforeToday: false, dateOrder: 'monthFirst' },
		],
		[{ responseType: 'date', repeatText: 'Pardon?' }, { questionText: '' }],
		[{ responseType: 'date', replyOptions: { repeats: 0 } }, { questionText: '' }],
		[{ replyOptions: { repeats: -1, noWords: 'nay' } }, { repeats: 0, noWords: ['nay'] }],
		[{ replyOptions: { repeats: 'many' } }, { repeats: 0 }],
	])('%j means %j', (values, settings) => {
		expect(read(values)).toMatchObject(settings);
	});

	test.each<[object]>([
		[{ limitWaitTime: 0 }],
		[{ limitWaitTime: 365.01, waitTimeUnit: 'days' }],
		[{ limitWaitTime: 'long' }],
		[{ waitTimeUnit: 'weeks' }],
	])('%j is refused as a time to wait', (values) => {
		expect(() => read(values)).toThrow(
			expect.objectContaining({
				message: "'Limit Wait Time' must be more than 0 and at most 365 days",
				description: 'Enter how long to wait for the reply.',
			}),
		);
	});
});
