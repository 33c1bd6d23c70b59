/** `npm run docs`: writes everything that is generated; what has not changed stays as it is. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { apiPaths, endpoints, type Endpoint } from '../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../nodes/BusinessMessaging/description';
import { buildOpenApiDocument } from '../sandbox/openapi';
import { filesBelow, readText } from '../test/support/files';
import { readChangelog, readVersion, releasedVersions, root } from './changelog';
import { phoneTable, phoneTableFile } from './phoneTable';

const run = (script: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
	execFileSync(process.execPath, [script, ...args], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, ...env },
	});
const write = (file: string, text: string) => writeFileSync(path.join(root, file), text);
/** What a released version saves never changes. */
const isReleased = releasedVersions(readChangelog()).includes(readVersion());

const writers: Record<string, (args: string[]) => void | Promise<void>> = {
	/** docs/openapi.json, from the endpoint table. */
	openapi: () => write('docs/openapi.json', `${JSON.stringify(buildOpenApiDocument(), null, 2)}\n`),
	/** Printed, as every change of a test would change it. */
	endpoints: () => console.log(endpointTable()),
	/** Every error and hint of the nodes on one page, to be read together. */
	errors: () => write('docs/errors.md', errorPage()),
	/** The table of numbering plans, from libphonenumber-js. */
	phones: () => writeFileSync(phoneTableFile, phoneTable()),
	/** test/compat/saved: what the present nodes leave in workflows, as the version of package.json. */
	saved: async () => {
		if (isReleased) throw new Error(`What version ${readVersion()} saves never changes any more.`);
		const { writeSaved } = await import('../test/compat/saved/present.js');
		const { presentNodes, presentShape } = await import('../test/compat/saved/present.js');
		writeSaved(readVersion(), { nodes: presentNodes(), shape: presentShape() });
	},
	/** The previews of outputs (__schema__), from runs of the built nodes against the sandbox. */
	schemas: () =>
		void run(
			'node_modules/jest/bin/jest.js',
			['test/operations/everyOperation', '-t', 'previews'],
			{
				WRITE_PREVIEWS: '1',
			},
		),
	/** docs/pictures, in the editor of a real n8n; only if named, as that takes minutes. */
	pictures: (names) => void run(require.resolve('tsx/cli'), ['scripts/pictures.ts', ...names]),
};

/** Each endpoint with the operations that use it and the tests that name it: those that order faults or count calls. */
function endpointTable(): string {
	const tests = filesBelow('test')
		.filter((file) => file.endsWith('.test.ts'))
		.map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
	const rows = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
		const methods = apiPaths.map((apiPath) => endpoint.methods[apiPath] ?? '–').join('/');
		const using = operations
			.filter((operation) => operation.endpoint === endpoint)
			.map(({ resource, value }) => `${resource} ${value}`);
		const naming = tests
			.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text))
			.map(({ file }) => path.relative('test', file).replace(/\.test\.ts$/, ''));
		const lines = [`Operations: ${using.join(', ')}`, `Tests: ${naming.join(', ')}`];
		return [`${methods} ${endpoint.path}`, ...lines].join('\n  ');
	});
	return rows.join('\n');
}

async function main([name, ...args]: string[]): Promise<void> {
	const unasked = ['endpoints', 'pictures', ...(isReleased ? ['saved'] : [])];
	const all = Object.keys(writers).filter((one) => !unasked.includes(one));
	if (name !== undefined && !(name in writers))
		throw new Error(`There is no ${name}, only ${Object.keys(writers).join(', ')}.`);
	for (const one of name === undefined ? all : [name]) await writers[one](args);
}

void main(process.argv.slice(2));

/** Objects with one of these describe the editor's forms. */
const formKeys = ['displayName', 'displayOptions', 'action', 'required', 'default', 'endpoint'];
/** Stands for what is known only in a run. */
const unknown = '…';

/** The text of a literal, of both sides of a condition; empty for other code. */
function textOf(node: ts.Node): string {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isTemplateExpression(node)) {
		const parts = node.templateSpans.map(({ literal }) => `${unknown}${literal.text}`);
		return [node.head.text, ...parts].join('').replace(/…+/g, unknown).trim();
	}
	if (!ts.isConditionalExpression(node)) return '';
	const sides = [textOf(node.whenTrue), textOf(node.whenFalse)];
	return sides.filter((text) => text !== '').join(' *or* ');
}

const isForm = (node: ts.Node) =>
	ts.isObjectLiteralExpression(node) &&
	node.properties.some(({ name }) => name && formKeys.includes(name.getText()));

const isError = (node: ts.Node) =>
	ts.isNewExpression(node) && node.expression.getText().endsWith('Error');

const isSentence = (node: ts.Node) => /^['"…\p{Lu}].*\p{L} .* .*\.$/u.test(textOf(node));

/** What belongs together: arguments of a call, elements of a list, values of an object and of an object in a call. */
function membersOf(node: ts.Node): ts.Node[] {
	if (ts.isArrayLiteralExpression(node)) return [...node.elements];
	if (ts.isObjectLiteralExpression(node)) {
		const properties = node.properties.filter(ts.isPropertyAssignment);
		return properties.flatMap((one) => (one.name.getText() === 'kind' ? [] : one.initializer));
	}
	if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return [];
	const given = node.arguments ?? [];
	return given.some(isForm)
		? []
		: given.flatMap((one) => (ts.isObjectLiteralExpression(one) ? membersOf(one) : one));
}

/** Each error with its advice, and the other sentences outside of forms: hints, and parts of errors. */
function sayings(file: string): string[][] {
	const rows: string[][] = [];
	const visit = (node: ts.Node, inForm: boolean, said: ts.Node[]): void => {
		if (ts.isImportDeclaration(node) || said.includes(node)) return;
		const outside = inForm || isForm(node) ? [] : membersOf(node);
		const members = outside.filter((one) => !said.includes(one));
		const isSaid = isError(node) || members.some(isSentence);
		const parts = isSaid ? members.filter((one) => / .* |'…'/.test(textOf(one))) : [];
		if (parts.length > 0) rows.push(parts.map(textOf));
		if (!inForm && isSentence(node)) rows.push([textOf(node)]);
		else node.forEachChild((child) => visit(child, inForm || isForm(child), [...said, ...parts]));
	};
	visit(ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true), false, []);
	return rows;
}

/** The page as Markdown, a table for each file. */
export function errorPage(): string {
	const files = filesBelow('nodes').filter((file) => /(?<!description)\.ts$/.test(file));
	const tables = files.flatMap((file) => {
		const rows = sayings(file).map(([what, ...advice]) => `| ${what} | ${advice.join(' ')} |`);
		if (rows.length === 0) return [];
		const title = file.replace(/^nodes\/BusinessMessaging\/|\.ts$/g, '');
		return [`## ${title}\n\n| Message | What to do |\n| --- | --- |\n${rows.join('\n')}\n`];
	});
	return `# Errors and hints

What the nodes say while they run, written by \`npm run docs\` from the source so that it can be read together; \`${unknown}\` stands for
a value. For users, [troubleshooting.md](troubleshooting.md) explains the most frequent ones.

${tables.join('\n')}`;
}
