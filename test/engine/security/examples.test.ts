/** How the examples show texts that people have written: in HTML reports, and in tables that are opened in a spreadsheet. */
import { countBy } from 'lodash';

import { exampleField } from '../../../harness/engine/exampleFields';

/** The report of a campaign in which a text is the name, the variant, and the reason why a person got no message. */
function report(text: string): string {
	const figures = [{ label: 'Sent', counts: [1] }];
	const given = { campaign: text, people: 2, variants: [text], figures, notSent: { [text]: 1 } };
	return String(exampleField('campaign-results', 'Report', 'html', given));
}

test.each(['<img src=x onerror=alert(1)>', '"><b onmouseover="alert(1)">', '&lt;script&gt;'])(
	'%s in a report is text',
	(text) => {
		const tags = (html: string) => countBy(html.match(/[<>"]|&(?!#\d+;|nbsp;)/g));
		expect(report('spring')).toMatch(/Campaign: spring[^]+>spring<[^]+1 for another reason/);
		expect(tags(report(text))).toEqual(tags(report('spring')));
		expect(report(text)).not.toContain(text);
	},
);

/** A reply in the files of the report. */
function replyInReport(reply: string): unknown {
	const others = {
		"$('Get the campaign').all()": '[{ json: $json }]',
		"$('Settings').first()": "({ json: { campaign: 'spring' } })",
	};
	const row = { campaign: 'spring', phone: '+1', reply };
	const report = exampleField('campaign-results', 'Count', 'jsonOutput', row, others);
	return (report as { rows: Array<{ reply: string }> }).rows[0].reply;
}

/** The cells for a text, in each table that contains texts of people. */
function cells(text: string): unknown[] {
	const column = 'columns.value';
	return [
		replyInReport(text),
		exampleField('survey', 'Keep the reason', `${column}.reason`, { text }),
	];
}

test.each([
	'=HYPERLINK("http://evil.example","Click")',
	"-2+3+cmd|'/C calc'!A0",
	'@SUM(1)',
	'\t=1',
])('%j in a table is text, even when the table is opened in a spreadsheet', (text) => {
	expect(cells(text)).toEqual(Array(2).fill(`'${text}`));
});

test.each(['Anna = Ann', '+44 (0)7700 900-111', '+1 555 0100 ext. 5', 'a@example.com'])(
	'%j in a table stays as it is',
	(text) => {
		expect(cells(text)).toEqual(Array(2).fill(text));
	},
);
