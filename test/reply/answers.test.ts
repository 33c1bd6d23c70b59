/** What counts as an answer. */
import type {
	AnswerKind,
	Expected,
} from '../../nodes/BusinessMessaging/operations/message/question';
import { readAnswer } from '../../nodes/BusinessMessaging/webhooks/answers';

const expected = (kind: AnswerKind): Expected => ({
	kind,
	choices: ['Small', 'Extra Large', '12'],
	yesWords: ['yes', '👍', 'Sí'],
	noWords: ['no'],
	isDayFirst: true,
});

const cases: Array<[AnswerKind, string | null, unknown]> = [
	['freeText', 'whatever ', 'whatever '],
	['freeText', null, null],
	['approval', ' YES!! ', true],
	['approval', '👍', true],
	['approval', 'sí.', true],
	['approval', 'No', false],
	['approval', 'yes, but not today', undefined],
	['approval', '', undefined],
	['approval', null, undefined],
	['choice', 'extra large', 'Extra Large'],
	['choice', '2.', 'Extra Large'],
	['choice', '12', '12'],
	['choice', '4', undefined],
	['choice', '0', undefined],
	['choice', 'medium', undefined],
	['number', '12', 12],
	['number', '-3', -3],
	['number', '1,5', 1.5],
	['number', '0.125', 0.125],
	['number', '1 234.56', 1234.56],
	['number', '1.234,56', 1234.56],
	['number', '1,234,567', 1234567],
	['number', '1,234', undefined],
	['number', '1.2.3', undefined],
	['number', '12 or 13', undefined],
	['email', ' Anna@example.com ', 'Anna@example.com'],
	['email', 'anna at example', undefined],
	['date', '2030-01-31', '2030-01-31'],
	['date', '31.1.2030', '2030-01-31'],
	['date', '1/2/2030', '2030-02-01'],
	['date', '3 March 2030', '2030-03-03'],
	['date', '31.2.2030', undefined],
	['date', 'tomorrow', undefined],
];

test.each(cases)('%s: %j gives %j', (kind, text, value) => {
	expect(readAnswer(text, expected(kind))).toEqual(value);
});
