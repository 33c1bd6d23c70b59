/** The table of `npm run test:compat`, in three forms: for the terminal, for docs/compatibility.md and for the README. */
import { type EngineVersions, engines, zodVersions } from './engines';
import type { RunnerResult } from './result';

/** One engine, with its own zod first and then with the others. */
export interface EngineReport extends EngineVersions {
	runs: RunnerResult[];
}

/** Rows of texts; the first one is the head. */
type Table = string[][];

/** What was expected and did not come, one sentence each: a check that fails or passes against the list of engines. */
export function faultsOf(reports: EngineReport[]): string[] {
	return reports.flatMap(({ n8n, packages, lacks = {}, runs }) =>
		runs.flatMap(({ core, workflow, zod, checks }, index) => {
			const wanted = [packages['n8n-core'], packages['n8n-workflow'], [packages.zod, ...zodVersions][index]];
			if (wanted.join() !== [core, workflow, zod].join()) return [`n8n ${n8n}: loaded ${[core, workflow, zod].join(', ')} instead of ${wanted.join(', ')}`];
			const place = (name: string) => `n8n ${n8n} with zod ${zod}: ${name}`;
			const never = Object.keys(lacks).filter((name) => checks.every((check) => check.name !== name));
			const wrong = checks.flatMap(({ name, error }) => {
				const words = lacks[name] as string | undefined;
				if (words === undefined) return error === undefined ? [] : [`${place(name)}: ${error}`];
				if (error === undefined) return [`${place(name)} passes now: correct the list of engines`];
				return error.includes(words) ? [] : [`${place(name)}: "${error}" instead of "${words}"`];
			});
			return [...never.map((name) => `${place(name)} was not checked`), ...wrong];
		}),
	);
}

/** What each engine does with its own zod. */
function checkTable(reports: EngineReport[]): Table {
	const own = reports.map(({ runs }) => runs[0].checks);
	const names = [...new Set(own.flatMap((checks) => checks.map(({ name }) => name)))];
	const cell = (checks: RunnerResult['checks'], name: string) => {
		const check = checks.find((one) => one.name === name);
		return check ? (check.error === undefined ? 'yes' : 'no') : '–';
	};
	return [['n8n', ...reports.map(({ n8n }) => n8n)], ...names.map((name) => [name, ...own.map((checks) => cell(checks, name))])];
}

/** How many checks pass with each zod. */
function zodTable(reports: EngineReport[]): Table {
	const [, ...others] = reports[0].runs;
	const passed = ({ checks }: RunnerResult) => `${checks.filter(({ error }) => error === undefined).length} of ${checks.length}`;
	const row = ({ n8n, packages, runs: [own, ...rest] }: EngineReport) => [
		n8n, packages['n8n-core'], packages['n8n-workflow'], `${passed(own)} (${own.zod})`, ...rest.map(passed),
	];
	return [['n8n', 'n8n-core', 'n8n-workflow', 'its own zod', ...others.map(({ zod }) => `zod ${zod}`)], ...reports.map(row)];
}

/** Why a cell says no. */
function reasons(reports: EngineReport[]): string[] {
	return reports.flatMap(({ n8n, runs: [{ checks }] }) =>
		checks.filter(({ error }) => error !== undefined).map(({ name, error }) => `n8n ${n8n}, ${name}: ${error}`),
	);
}

function padded(table: Table): string {
	const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
	return table.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd()}`).join('\n');
}

function markdown([head, ...rows]: Table): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** For the terminal. */
export function textReport(reports: EngineReport[]): string {
	return [padded(checkTable(reports)), padded(zodTable(reports)), ...reasons(reports).map((reason) => `  ${reason}`)].join('\n\n');
}

/** For docs/compatibility.md. */
export function markdownReport(reports: EngineReport[]): string {
	const list = reasons(reports).map((reason) => `- ${reason}`).join('\n');
	const whole = reports.map(({ n8n, note }) => `- ${n8n}: ${note}`).join('\n');
	return [whole, markdown(checkTable(reports)), list, markdown(zodTable(reports))].join('\n\n');
}

/** What does not work, in the words of the README. */
function verdict({ runs: [{ checks }] }: EngineReport): string {
	const missing = checks.filter(({ error }) => error !== undefined).map(({ name }) => name);
	if (missing.length === 0) return 'everything works';
	return checks.length === 1 ? 'does not work' : `everything works but *${missing.join('*, *')}*`;
}

/** For the README: engines of the same verdict in one row, oldest to newest. */
export function shortTable(reports: EngineReport[]): string {
	const verdicts = reports.map(verdict);
	const rows = [...new Set(verdicts)].map((words) => {
		const versions = reports.filter((_, index) => verdicts[index] === words).map(({ n8n }) => n8n);
		return [versions.length === 1 ? `${versions[0]} and older` : `${versions.at(-1)} to ${versions[0]}`, words];
	});
	return markdown([['n8n', 'with these nodes'], ...rows]);
}

/** Those of the list that a run is to go through: all, or the named releases. @throws Error for one that is not there */
export function chosenEngines(only?: string): EngineVersions[] {
	if (only === undefined) return engines;
	return only.split(',').map((name) => {
		const found = engines.find(({ n8n }) => n8n === name);
		if (!found) throw new Error(`"${name}" is none of ${engines.map(({ n8n }) => n8n).join(', ')}`);
		return found;
	});
}
