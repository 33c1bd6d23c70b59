/** The tables of engines are those of the last run of `npm run test:compat`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { omit } from 'lodash';

import { engines, zodVersions } from '../compat/engines';
import { type EngineReport, faultsOf, markdownReport, shortTable } from '../compat/report';
import { root } from '../support/build';

const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const reports = JSON.parse(read('docs/compatibility.json')) as EngineReport[];

test('the run went through the list of engines, each with every zod, and came out as it says', () => {
	expect(reports.map((report) => omit(report, 'runs'))).toEqual(engines);
	expect(reports.map(({ runs }) => runs.length)).toEqual(engines.map(() => 1 + zodVersions.length));
	expect(faultsOf(reports)).toEqual([]);
});

test('docs/compatibility.md is what it has printed', () => {
	expect(read('docs/compatibility.md')).toBe(markdownReport(reports));
});

test('the README has the short table', () => {
	expect(read('README.md')).toContain(`\n${shortTable(reports)}\n`);
});

test('what does not agree with the list is a fault', () => {
	const [newest] = reports;
	const changed = (checks: object, rest: Partial<EngineReport> = {}) =>
		faultsOf([
			{
				...newest,
				...rest,
				runs: [{ ...newest.runs[0], checks: { ...newest.runs[0].checks, ...checks } }],
			},
		]);
	const place = `n8n ${newest.n8n} with zod ${newest.packages.zod}:`;
	expect(changed({ 'Send Text': 'no' })).toEqual([`${place} Send Text: no`]);
	expect(changed({}, { lacks: { 'Send Text': 'no' } })).toEqual([
		`${place} Send Text works now: correct the list of engines`,
	]);
	expect(changed({ 'Send Text': 'yes' }, { lacks: { 'Send Text': 'no' } })).toEqual([
		`${place} Send Text: "yes" instead of "no"`,
	]);
	expect(changed({}, { lacks: { Other: 'no' } })).toEqual([`${place} Other was not checked`]);
	expect(changed({}, { packages: { ...newest.packages, 'n8n-core': '0.0.1' } })).toHaveLength(1);
});
