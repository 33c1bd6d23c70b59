/** The page that the example Campaign results makes of a report. */
import type { IDataObject } from 'n8n-workflow';

import { exampleField } from '../../../harness/engine/exampleFields';

const figures = { people: 10, sent: 8, delivered: 6, read: 3, replied: 2, failed: 1, optedOut: 0 };
const rates = { deliveredPercent: 75, readPercent: 37.5, repliedPercent: 25, failedPercent: 12.5 };
const report = (more: IDataObject = {}) =>
	String(
		exampleField('campaign-results', 'Report', 'html', {
			...{ campaign: 'spring', variant: 'A', ...figures, ...rates, optedOutPercent: 0 },
			...{ uncertain: 1, notSent: 1, difference: null, ...more },
		}),
	);

test('shows each figure with its rate, and who has no confirmed message or no receipt', () => {
	const html = report();
	for (const [label, figure] of [
		['Sent', '<b>8</b><'],
		['Read', '<b>3</b> (37.5 %)'],
		['Opted out', '<b>0</b> (0 %)'],
	])
		expect(html.split(`<b>${label}</b>`)[1].split('</tr>\n')[0]).toContain(figure);
	expect(html).toContain('10 people, up to');
	expect(html).toContain(
		'1 failed, 1 may have been sent, 1 not sent, see the reasons in the files',
	);
	expect(html).toContain('<b>No receipt yet:</b> 1 sent messages.');
});

test('says so if everything is well, and which variant is better', () => {
	const html = report({
		uncertain: 0,
		notSent: 0,
		failed: 0,
		delivered: 8,
		difference: 'B is better than A.',
	});
	expect(html).toContain('All messages were sent.');
	expect(html).not.toContain('No receipt yet');
	expect(html).toContain('B is better than A.');
});
