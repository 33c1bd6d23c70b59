/** Replies as people write them: each is read as it is meant, or asked again, and none is read wrongly. */
import { countBy } from 'lodash';

import { readAnswer } from '../../../nodes/BusinessMessaging/inbox/answers';
import {
	type AnswerKind,
	defaultAnswer,
} from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { answerTable } from './answerTable';
import { phones } from './phones';

const rows = answerTable
	.trim()
	.split('\n')
	.map((line) => {
		const [kind, country, language, choices, text, means] = line
			.split('|')
			.map((one) => one.trim());
		return { kind: kind as AnswerKind, country, language, choices, text, means };
	});

/** What a reply is read as, in the words of the table. */
function read({ kind, country, choices, text }: (typeof rows)[number]): string {
	const expected = { ...defaultAnswer(), kind, choices: choices.split(', ') };
	const replier = { phone: phones[country], times: ['2026-11-29T12:00:00Z'] };
	return String(readAnswer(text, expected, replier) ?? 'ask');
}

test('the table has at least 200 replies in ten languages', () => {
	expect(rows.length).toBeGreaterThanOrEqual(200);
	expect(Object.keys(countBy(rows, 'language')).length).toBeGreaterThanOrEqual(10);
	expect(rows.filter(({ country }) => phones[country] === undefined)).toEqual([]);
});

test.each(rows)('$country, $kind: "$text" means $means, or is asked again', (row) => {
	expect([row.means, 'ask']).toContain(read(row));
});

const results = rows
	.filter(({ means }) => means !== 'ask')
	.map((row) => (read(row) === row.means ? 'read' : 'askedAgain'));
const share = Math.round((100 * results.filter((one) => one === 'read').length) / results.length);

test.each([{ total: results.length, share }])(
	'of $total replies with a meaning, $share % are read as they are meant, the others are asked again',
	() => expect(share).toBeGreaterThan(65),
);
