/**
 * Checks that the instructions of CONTRIBUTING.md for a new operation work, and that nothing that depends on the
 * operations is out of date.
 */
import path from 'node:path';

import ts from 'typescript';

import { type Endpoint, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../nodes/BusinessMessaging/nodeProperties';
import { readText, root } from '../../harness/engine/files';
import { presentShape, readSaved } from '../../harness/savedWorkflows';

describe('the sample of a new operation', () => {
	const [, section] = readText('CONTRIBUTING.md').split('\n## Add an operation\n');
	const file = /`(nodes\/[\w/]+\.ts)`/.exec(section)![1];
	const code = /```ts\n([^]+?)```/.exec(section)![1].replaceAll(/^ {3}/gm, '');

	/** The errors of the compiler in the sample, as if its file existed. */
	function problemsOf(text: string): string[] {
		const read = (name: string) => ts.sys.readFile(name);
		const { config } = ts.readConfigFile(path.join(root, 'tsconfig.repository.json'), read);
		const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
		const sample = path.join(root, file);
		const host = ts.createCompilerHost(options);
		const inner = ts.createCompilerHost(options);
		host.getSourceFile = (name, ...rest) =>
			path.normalize(name) === sample
				? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022)
				: inner.getSourceFile(name, ...rest);
		const program = ts.createProgram([sample], options, host);
		const source = program.getSourceFile(sample);
		return [
			...program.getSyntacticDiagnostics(source),
			...program.getSemanticDiagnostics(source),
		].map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
	}

	test('compiles, and would not if an import were missing', () => {
		expect(problemsOf(code)).toEqual([]);
		const [, ...rest] = code.split('\n');
		expect(problemsOf(rest.join('\n'))).toEqual(["Cannot find name 'endpoints'."]);
	});

	test('is in the file that its resource and value name, and repeats no operation', () => {
		const [, resource] = /resource: '(\w+)'/.exec(code)!;
		const [, value] = /value: '(\w+)'/.exec(code)!;
		expect(file).toBe(`nodes/BusinessMessaging/operations/${resource}/${value}.ts`);
		expect(operations.map((one) => `${one.resource} ${one.value}`)).not.toContain(
			`${resource} ${value}`,
		);
	});

	test('needs at most 8 files by hand, also with a new endpoint', () => {
		const named = section.matchAll(/`([\w/.-]+\.(?:md|ts))`/g);
		expect(new Set([...named].map(([, name]) => name)).size).toBeLessThanOrEqual(8);
	});

	test('names files that exist', () => {
		const named = [...section.matchAll(/`((?:nodes|sandbox|harness|docs)\/[\w/.-]+)`/g)];
		const others = named.map(([, name]) => name).filter((name) => name !== file);
		expect(others.length).toBeGreaterThan(5);
		expect(
			others.filter((name) => !ts.sys.fileExists(name) && !ts.sys.directoryExists(name)),
		).toEqual([]);
	});
});

test('each endpoint has an operation, and each one that the specification leaves open has a row in docs/api-assumptions.md', () => {
	const called = new Set(operations.map(({ endpoint }) => endpoint));
	const assumed = readText('docs/api-assumptions.md');
	for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
		expect([name, called.has(endpoint)]).toEqual([name, true]);
		const calls = Object.values(endpoint.methods).map((method) => `\`${method} ${endpoint.path}\``);
		expect([name, calls.some((call) => assumed.includes(call))]).toEqual([name, true]);
	}
});

test('what workflows save is recorded for this version', () => {
	const { version } = JSON.parse(readText('package.json')) as { version: string };
	const hint = 'npm run docs -- saved';
	expect({ hint, shape: readSaved(version).shape }).toEqual({ hint, shape: presentShape() });
});
