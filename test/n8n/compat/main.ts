/**
 * `npm run test:compat`: runs the engine tests on engines of n8n, from the oldest that works to the newest, and with
 * several versions of zod.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import groupBy from 'lodash/groupBy';
import { installPackages } from '../../../harness/n8n/install';
import { onStop, printTable, readFlags, runMain, step, UserError } from '../../../harness/cli';
import { PROJECT_FOLDER } from '../../../harness/n8n/packProject';
import { CommandError, runCommand } from '../../../harness/processes';
import { tryEngine2, UNEXPECTED } from './engine2';
import { areas, engines, type EngineVersions, zodVersions, findNewest } from './engines';

const USAGE = `Usage: npm run test:compat -- [--markdown FILE] [--only 2.41.1,1.85.4] [--newest] [--engine-2]
--engine-2 runs the nodes on n8n's engine 2.0 instead, in a real n8n with PostgreSQL. Five minutes.
--newest looks for an n8n that is newer than those of the list, and runs the tests on it alone or says why it cannot be installed.
Installs each engine once into your cache folder (some 150 MB each) and takes a minute or two more for the tests of each.`;
const TEST_LIMIT = 20 * 60_000;

/** The result of one area's tests on one engine. */
interface Outcome {
	passed: number;
	total: number;
	/** The errors of the failed tests. */
	errors: string[];
}

/** One engine with one version of zod: a column of the table. */
interface Column {
	title: string;
	engine: EngineVersions;
	outcomes: Record<string, Outcome>;
}

runMain(async () => {
	const flags = readFlags(
		{ markdown: 'string', only: 'string', newest: 'boolean', 'engine-2': 'boolean' },
		USAGE,
	);
	if (flags['engine-2']) return await engine2(flags.markdown);
	const chosen = flags.newest ? await newestEngine() : chosenEngines(flags.only);
	if (chosen.length === 0) return;
	const columns: Column[] = [];
	for (const engine of chosen) {
		const { n8n, packages } = engine;
		const modules = await installPackages(`engine of n8n ${n8n}`, packages);
		columns.push(await tryEngine(n8n, engine, [modules]));
		if (engine !== engines[0]) continue;
		for (const version of zodVersions) {
			const zod = await installPackages(`zod ${version}`, { zod: version });
			columns.push(await tryEngine(`${n8n}, zod ${version}`, engine, [zod, modules]));
		}
	}
	const rows = Object.keys(areas).map((area) => rowOf(area, columns));
	printTable(rows);
	if (flags.markdown) await writeInto(flags.markdown, rows, chosen);
	const faults = columns.flatMap(faultsOf);
	if (faults.length > 0)
		throw new UserError(`It is not as the list of engines says:\n${faults.join('\n')}`);
});

/** Tests the nodes on engine 2.0. */
async function engine2(markdown?: string): Promise<void> {
	const rows = await tryEngine2();
	printTable(rows);
	const lines = [{ what: '', works: 'engine 2.0' }, { what: '---', works: '---' }, ...rows];
	const table = lines.map(({ what, works }) => `| ${what} | ${works} |`).join('\n');
	if (rows.some(({ works }) => works.startsWith(UNEXPECTED)))
		throw new UserError('It is not as expected there.');
	if (markdown) await writeBetween(markdown, 'engine 2.0: ', table);
}

/** The newest n8n that can be installed, unless it is in the list. Prints why newer ones cannot be installed. */
async function newestEngine(): Promise<EngineVersions[]> {
	const known = engines[0].n8n;
	const { engine, stopped } = await findNewest(known);
	for (const reason of stopped) console.log(reason);
	console.log(
		engine
			? `The newest n8n that can be installed: ${engine.n8n}`
			: `NO TESTS WERE RUN: no n8n that can be installed is newer than ${known}, the first of the list. \`npm run test:compat -- --only ${known}\` tests on that one.`,
	);
	return engine ? [engine] : [];
}

function chosenEngines(only?: string): EngineVersions[] {
	const known = engines.map(({ n8n }) => n8n);
	const names = only?.split(',') ?? known;
	const unknown = names.find((name) => !known.includes(name));
	if (unknown !== undefined) throw new UserError(`"${unknown}" is none of ${known.join(', ')}`);
	return engines.filter(({ n8n }) => names.includes(n8n));
}

/** @param modules folders in which the package finds what it requires, in the order in which they are searched */
async function tryEngine(
	title: string,
	engine: EngineVersions,
	modules: string[],
): Promise<Column> {
	const folder = await mkdtemp(path.join(tmpdir(), 'business-messaging-compat-'));
	onStop(async () => await rm(folder, { recursive: true, force: true }));
	const outputFile = path.join(folder, 'result.json');
	const files = Object.values(areas).flat();
	const jest = [
		...['node_modules/jest/bin/jest.js', '--config', 'test/n8n/compat/jest.config.js'],
		...['--forceExit', '--json', '--outputFile', outputFile],
		...files.map((file) => `test/engine/${file}.test.ts`),
	];
	const env = { ENGINE_MODULES: modules.join(path.delimiter) };
	const options = { cwd: PROJECT_FOLDER, env, limit: TEST_LIMIT };
	await step(`n8n ${title}`, async () => {
		await runCommand(process.execPath, jest, options).catch((error: unknown) => {
			// The report contains the failed tests.
			if (!(error instanceof CommandError) || error.timedOut) throw error;
		});
	});
	const { testResults } = JSON.parse(await readFile(outputFile, 'utf8')) as JestReport;
	const outcomes = Object.entries(areas).map(([area, names]): [string, Outcome] => {
		const results = names.flatMap((name) =>
			testResults.filter((file) => file.name.endsWith(`/test/engine/${name}.test.ts`)),
		);
		const tests = results.flatMap(({ assertionResults }) => assertionResults);
		const failed = tests.filter(({ status }) => status === 'failed');
		// A test file that cannot run has no tests, but a message.
		const broken = results.flatMap((file) =>
			file.assertionResults.length > 0 ? [] : file.message,
		);
		const errors = [...broken, ...failed.flatMap(({ failureMessages }) => failureMessages)];
		const total = tests.length + broken.length;
		return [area, { passed: total - failed.length - broken.length, total, errors }];
	});
	return { title, engine, outcomes: Object.fromEntries(outcomes) };
}

/** The part of Jest's report that is used. */
interface JestReport {
	testResults: Array<{
		name: string;
		message: string;
		assertionResults: Array<{ status: string; failureMessages: string[] }>;
	}>;
}

const isPassed = ({ passed, total }: Outcome) => total > 0 && passed === total;

function rowOf(area: string, columns: Column[]): Record<string, string> {
	const cells = columns.map(({ title, outcomes: { [area]: outcome } }) => [
		title,
		isPassed(outcome) ? 'yes' : `no (${outcome.passed} of ${outcome.total})`,
	]);
	return { n8n: area, ...(Object.fromEntries(cells) as Record<string, string>) };
}

/** The differences between the results and the list of engines. */
function faultsOf({ title, engine: { lacks }, outcomes }: Column): string[] {
	return Object.entries(outcomes).flatMap(([area, outcome]) => {
		const place = `- n8n ${title}, ${area}:`;
		if (isPassed(outcome))
			return area in lacks ? [`${place} works now, correct the list of engines`] : [];
		if (area in lacks && outcome.errors.some((error) => error.includes(lacks[area].words)))
			return [];
		const [error = 'no test was found'] = outcome.errors;
		return [`${place} ${outcome.passed} of ${outcome.total} passed; the first error:\n${error}`];
	});
}

/** Writes the engines, and what does not pass, between the comments `begin` and `end` of a document. */
async function writeInto(
	file: string,
	rows: Array<Record<string, string>>,
	chosen: EngineVersions[],
): Promise<void> {
	const engineList = chosen.map(({ n8n, note }) => `- **${n8n}**: ${note}`);
	const lacking = chosen.flatMap(({ n8n, lacks }) =>
		Object.entries(lacks).map(([area, { reason }]) => ({ n8n, what: `*${area}*: ${reason}.` })),
	);
	const lackingList = Object.entries(groupBy(lacking, 'what')).map(
		([what, engines]) => `- n8n ${engines.map(({ n8n }) => n8n).join(', ')}: ${what}`,
	);
	const areaList = rows.map(({ n8n: area }) => area).join('; ');
	const written = [
		engineList.join('\n'),
		`Everything passes (${areaList}), except:`,
		lackingList.join('\n'),
	].join('\n\n');
	await writeBetween(file, '', written);
}

/** Writes a text between the comments `begin` and `end` of a document. @param mark the first word of these comments */
async function writeBetween(file: string, mark: string, written: string): Promise<void> {
	const document = await readFile(file, 'utf8');
	const between = new RegExp(`(?<=<!-- ${mark}begin -->\n)[^]*(?=<!-- ${mark}end -->)`);
	await writeFile(
		file,
		document.replace(between, () => `\n${written}\n`),
	);
}
