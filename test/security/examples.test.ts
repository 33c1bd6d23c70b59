/** What the examples make of texts that people have written: reports in HTML, tables that are opened in a spreadsheet. */
import { countBy, get, mapValues } from 'lodash';
import { type IDataObject, type INode, Workflow } from 'n8n-workflow';

import type { WorkflowFile } from '../../tools/n8n/client';
import { readText } from '../support/files';
import { start } from '../support/package';

const toItems = (records: IDataObject[]) => records.map((json) => ({ json, pairedItem: 0 }));

/**
 * What n8n makes of a field of an example's node.
 *
 * @param given what other nodes have given, the nearest one first
 */
function valueOf(
	example: string,
	name: string,
	field: string,
	given: Record<string, IDataObject[]>,
): unknown {
	const { nodes, connections } = JSON.parse(readText(`examples/${example}.json`)) as WorkflowFile;
	const nodeTypes = { getByName: () => start, getByNameAndVersion: () => start };
	const workflow = new Workflow({
		...{ nodes: structuredClone(nodes), connections, active: false },
		nodeTypes: { ...nodeTypes, getKnownTypes: () => ({}) },
	});
	const names = Object.keys(given);
	const runData = mapValues(given, (records, one) => {
		const source = names.slice(names.indexOf(one) + 1).map((previousNode) => ({ previousNode }));
		const data = { main: [toItems(records)] };
		return [{ startTime: 0, executionTime: 0, executionIndex: 0, source, data }];
	});
	const [[previousNode, records]] = Object.entries(given);
	const node = nodes.find((one) => one.name === name) as INode;
	const main = [toItems(records)];
	// The HTML node writes expressions without the = in front.
	return workflow.expression.getParameterValue(
		`=${String(get(node.parameters, field)).replace(/^=/, '')}`,
		{ resultData: { runData } } as never,
		...([0, 0, name, main[0], 'manual', {}] as const),
		{ node, data: { main }, source: { main: [{ previousNode }] } },
	);
}

/** The report of a campaign with one person. */
function report(campaign: string, variant: string): string {
	const row = { campaign, variant, reason: variant, sendStatus: 'sent', to: '+15550001000' };
	const given = {
		'Get results': [
			{ ...row, messageId: 'm1' },
			{ ...row, sendStatus: 'skipped' },
		],
		'Get opt-outs': [{ phone: variant }],
		Settings: [{ campaign: '' }],
	};
	const count = valueOf('campaign-results', 'Count', 'jsonOutput', given) as IDataObject;
	return String(valueOf('campaign-results', 'Report', 'html', { Count: [count] }));
}

test.each([
	'<img src=x onerror=alert(1)>',
	'<script>alert(1)</script>',
	'"><b onmouseover="alert(1)">',
	'&lt;script&gt;',
])('%s in a report is text', (text) => {
	const tags = (html: string) => countBy(html.match(/[<>"]|&(?!#\d+;|nbsp;)/g));
	expect(report('spring', 'A')).toMatch(/Campaign: spring[^]+>A<[^]+1 for another reason/);
	expect(tags(report(text, text))).toEqual(tags(report('spring', 'A')));
	expect(report(text, text)).not.toContain(text);
	const figure = 'assignments.assignments[0].value';
	const given = { 'Keep them for next week': [{ sent: text }], 'Get the week before': [{}] };
	expect(valueOf('weekly-report', 'Compare with last week', figure, given)).toBeNaN();
});

/** What becomes of a text in each table that holds some of people. */
function cells(text: string): unknown[] {
	const results = (column: string) =>
		valueOf('campaign-with-results', 'Write the results', `columns.value.${column}`, {
			'Send welcome': [{}],
			Person: [{ name: text, phone: text }],
		});
	const reason = { 'Ask for the reason': [{ text }] };
	return [
		...['name', 'phone'].map(results),
		valueOf('survey', 'Keep the reason', 'columns.value.reason', reason),
	];
}

test.each([
	'=HYPERLINK("http://evil.example","Click")',
	"=1+1+cmd|'/C calc'!A0",
	"+1+cmd|'/C calc'!A0",
	"-2+3+cmd|'/C calc'!A0",
	'@SUM(1+1)',
	'\t=1+1',
	'\r=1+1',
])('%j in a table is text, also when it is opened in a spreadsheet', (text) => {
	expect(cells(text)).toEqual(Array(3).fill(`'${text}`));
});

test.each(['Anna = Ann', '+44 (0)7700 900-111', '+1 555 0100 ext. 5', '-5', 'a@example.com'])(
	'%j in a table stays as it is',
	(text) => {
		expect(cells(text)).toEqual(Array(3).fill(text));
	},
);
