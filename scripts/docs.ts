/** `npm run docs`: writes all generated files. A file whose content has not changed stays as it is. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { apiPaths, endpoints, type Endpoint } from '../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../nodes/BusinessMessaging/nodeProperties';
import { intentPhrases } from '../nodes/BusinessMessaging/webhooks/intent';
import { buildOpenApiDocument } from '../sandbox/openapi';
import { filesBelow, readText, root } from '../harness/engine/files';
import { areaCodeTable, areaCodeTableFile } from './areaCodeTable';
import { withDerivedRows } from './assumptions';
import { countryNames, countryNamesFile, phoneTable, phoneTableFile } from './phoneTable';

const run = (script: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
	execFileSync(process.execPath, [script, ...args], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, ...env },
	});
/** Changes the text of a file of the project. */
const rewrite = (file: string, change: (text: string) => string) =>
	writeFileSync(path.join(root, file), change(readText(file)));
const { version } = JSON.parse(readText('package.json')) as { version: string };
/** Whether the version is released: what a released version saves must never change. */
const isReleased = readText('CHANGELOG.md').includes(`\n## [${version}] - `);

const writers: Record<string, (args: string[]) => void | Promise<void>> = {
	/** docs/openapi.json, from the endpoint table. */
	openapi: () => {
		const document = `${JSON.stringify(buildOpenApiDocument(), null, 2)}\n`;
		writeFileSync(path.join(root, 'docs/openapi.json'), document);
	},
	/** The rows *As every call* of docs/api-assumptions.md. */
	assumptions: () => rewrite('docs/api-assumptions.md', withDerivedRows),
	/** The table of docs/opt-out-words.md. */
	words: () => {
		const rows = intentPhrases.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
		rewrite('docs/opt-out-words.md', (text) => text.replace(wordRows, () => rows));
	},
	/** The table is only printed, because every change of a test would change it. */
	endpoints: () => console.log(endpointTable()),
	/** The table of numbering plans, from libphonenumber-js, and the names of the countries. */
	phones: () => {
		writeFileSync(phoneTableFile, phoneTable());
		writeFileSync(countryNamesFile, countryNames());
	},
	/** The table of area codes, from libphonenumber's time zones; only if named, because npm has to download the data. */
	areaCodes: () => writeFileSync(areaCodeTableFile, areaCodeTable()),
	/** test/n8n/compat/saved: what the current nodes save in workflows, for the version in package.json. */
	saved: async () => {
		if (isReleased) throw new Error(`What version ${version} saves never changes any more.`);
		const { presentNodes, presentShape, writeSaved } = await import('../harness/savedWorkflows.js');
		writeSaved(version, { nodes: presentNodes(), shape: presentShape() });
	},
	/** The previews of outputs (__schema__), from runs of the built nodes against the sandbox. */
	schemas: () => {
		const previews = ['test/engine/operations/everyOperation', '-t', 'previews'];
		run('node_modules/jest/bin/jest.js', previews, { WRITE_PREVIEWS: '1' });
	},
	/** docs/operations.md, from the nodes, and from runs against the sandbox. */
	operations: () => {
		run('node_modules/jest/bin/jest.js', ['repository/operations'], { WRITE_PREVIEWS: '1' });
	},
	/** docs/pictures, taken in the editor of a real n8n; only if named, because this takes minutes. */
	pictures: (names) => void run(require.resolve('tsx/cli'), ['scripts/pictures.ts', ...names]),
};

/** The rows of the table of words, one for each language. */
const wordRows = /(?<=\n\| Language .*\n\|.*\n)(\|.*\n)*/;

/** Each endpoint with the operations that use it, and the tests that contain its name: those that order faults or count calls. */
function endpointTable(): string {
	const tests = filesBelow('test').filter((file) => file.endsWith('.test.ts'));
	const rows = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
		const methods = apiPaths.map((apiPath) => endpoint.methods[apiPath] ?? '–').join('/');
		const using = operations
			.filter((operation) => operation.endpoint === endpoint)
			.map(({ resource, value }) => `${resource} ${value}`);
		const naming = tests
			.filter((file) => new RegExp(`\\b${name}\\b`).test(readText(file)))
			.map((file) => path.relative('test', file).replace(/\.test\.ts$/, ''));
		const lines = [`Operations: ${using.join(', ')}`, `Tests: ${naming.join(', ')}`];
		return [`${methods} ${endpoint.path}`, ...lines].join('\n  ');
	});
	return rows.join('\n');
}

/** The files that may be written, with their current text. */
function writtenFiles(): Map<string, string> {
	const folders = ['docs', 'nodes/BusinessMessaging/__schema__', 'test/n8n/compat/saved'];
	const written = [phoneTableFile, countryNamesFile, areaCodeTableFile];
	const tables = written.map((file) => path.relative(root, file));
	const files = [...folders.flatMap(filesBelow), ...tables];
	return new Map(files.map((file) => [file, readText(file)]));
}

async function main([name, ...args]: string[]): Promise<void> {
	const unasked = ['areaCodes', 'endpoints', 'pictures', ...(isReleased ? ['saved'] : [])];
	const all = Object.keys(writers).filter((one) => !unasked.includes(one));
	if (name !== undefined && !(name in writers))
		throw new Error(`There is no ${name}, only ${Object.keys(writers).join(', ')}.`);
	const before = writtenFiles();
	for (const one of name === undefined ? all : [name]) await writers[one](args);
	const changed = [...writtenFiles()].filter(([file, text]) => before.get(file) !== text);
	const lines = changed.map(([file]) => `  ${file}${before.has(file) ? '' : ' (new)'}`);
	if (name !== 'endpoints')
		console.log(['', lines.length > 0 ? 'Changed:' : 'Nothing has changed.', ...lines].join('\n'));
}

void main(process.argv.slice(2));
