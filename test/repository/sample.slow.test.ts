/** Checks that the sample of a new operation in CONTRIBUTING.md compiles. */
import path from 'node:path';

import ts from 'typescript';

import { readText, root } from '../../harness/engine/files';

const [, section] = readText('CONTRIBUTING.md').split('\n## Add an operation\n');
const file = /`(nodes\/[\w/]+\.ts)`/.exec(section)![1];
const code = /```ts\n([^]+?)```/.exec(section)![1].replaceAll(/^ {3}/gm, '');

const parsed = new Map<string, ts.SourceFile | undefined>();

/** The errors of the compiler in the sample, as if its file existed. */
function problemsOf(text: string): string[] {
	const read = (name: string) => ts.sys.readFile(name);
	const { config } = ts.readConfigFile(path.join(root, 'tsconfig.repository.json'), read);
	const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
	const sample = path.join(root, file);
	const host = ts.createCompilerHost(options);
	const inner = ts.createCompilerHost(options);
	host.getSourceFile = (name, ...rest) => {
		if (path.normalize(name) === sample)
			return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022);
		if (!parsed.has(name)) parsed.set(name, inner.getSourceFile(name, ...rest));
		return parsed.get(name);
	};
	const program = ts.createProgram([sample], options, host);
	const source = program.getSourceFile(sample);
	return [
		...program.getSyntacticDiagnostics(source),
		...program.getSemanticDiagnostics(source),
	].map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('the sample compiles, and would not if an import were missing', () => {
	expect(problemsOf(code)).toEqual([]);
	const [, ...rest] = code.split('\n');
	expect(problemsOf(rest.join('\n'))).toEqual(["Cannot find name 'endpoints'."]);
});
