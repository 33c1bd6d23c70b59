/** How the examples show texts that people have written: in HTML reports, and in tables that are opened in a spreadsheet. */
import { countBy } from 'lodash';

import { exampleField } from '../../../harness/engine/exampleFields';

/** The report of a campaign in which a text is the name, the variant and the difference. */
function report(text: string): string {
	const figures = { sent: 1, delivered: 1, read: 0, replied: 0, failed: 0, optedOut: 0 };
	const given = { campaign: text, variant: text, people: 2, difference: text, ...figures };
	const counts = { uncertain: 1, notSent: 0 };
	return String(exampleField('campaign-results', 'Report', 'html', { ...given, ...counts }));
}

test.each(['<img src=x onerror=alert(1)>', '"><b onmouseover="alert(1)">', '&lt;script&gt;'])(
	'%s in a report is text',
	(text) => {
		const tags = (html: string) => countBy(html.match(/[<>"]|&(?!#\d+;|nbsp;)/g));
		expect(report('spring')).toMatch(/Campaign: spring[^]+>spring<[^]+1 may have been sent/);
		expect(tags(report(text))).toEqual(tags(report('spring')));
		expect(report(text)).not.toContain(text);
	},
);

/** The cells for a text of somebody in tables. */
const cells = (text: string) => {
	const value = (example: string, node: string, column: string) =>
		exampleField(example, node, `columns.value.${column}`, { text, answer: text });
	return [
		value('survey', 'Keep the reason', 'reason'),
		value('ai-agent', 'Write down the message', 'text'),
		value('ai-agent', 'Write down the answer', 'text'),
	];
};

test.each([
	'=HYPERLINK("http://evil.example","Click")',
	"-2+3+cmd|'/C calc'!A0",
	'@SUM(1)',
	'\t=1',
])('%j in a table is text, even when the table is opened in a spreadsheet', (text) => {
	expect(cells(text)).toEqual(Array(3).fill(`'${text}`));
});

test.each(['Anna = Ann', '+44 (0)7700 900-111', '+1 555 0100 ext. 5', 'a@example.com'])(
	'%j in a table stays as it is',
	(text) => {
		expect(cells(text)).toEqual(Array(3).fill(text));
	},
);

// So it does not count as missing, e.g. "None", and a spreadsheet takes it for text.
test.each(['None', '=1+1', ''])('%j of a customer who waits is in quotes', (text) => {
	const trigger = { "$('When somebody writes').item.json": '$json' };
	const cell = exampleField('unanswered', 'Is waiting', 'columns.value.text', { text }, trigger);
	expect(cell).toBe(`“${text}”`);
});
