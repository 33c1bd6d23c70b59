/** The build in dist: the texts of the sources arrive in it as they are. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import ts from 'typescript';
import { sync as execaSync } from 'execa';
import { filesBelow, readText, root } from '../../harness/engine/files';

/** Statements and types that the compiler leaves out or replaces. */
const isReplaced = (node: ts.Node) =>
	ts.isTypeNode(node) ||
	ts.isInterfaceDeclaration(node) ||
	ts.isTypeAliasDeclaration(node) ||
	ts.isImportDeclaration(node) ||
	ts.isExportDeclaration(node);

const isText = (node: ts.Node): node is ts.LiteralLikeNode =>
	ts.isStringLiteralLike(node) ||
	ts.isTemplateLiteralToken(node) ||
	ts.isRegularExpressionLiteral(node);

/** Strings, parts of templates and patterns of a source or of a compiled file, in their order. */
function textsOf(file: string): string[] {
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (isText(node)) texts.push(node.text);
		if (!isReplaced(node)) ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, readText(file), ts.ScriptTarget.ES2022));
	return texts;
}

test('every text and pattern of the sources is in the build as it was written', () => {
	const sources = [...filesBelow('nodes'), ...filesBelow('credentials')];
	const written: Record<string, string[]> = {};
	const built: Record<string, string[]> = {};
	for (const source of sources.filter((file) => file.endsWith('.ts'))) {
		written[source] = textsOf(source);
		const names = new Set(written[source]);
		// The compiler adds names: of modules, and in its own helpers.
		const isAdded = (text: string) => /^(use strict|[\w./-]+)$/.test(text) && !names.has(text);
		built[source] = textsOf(`dist/${source.replace(/ts$/, 'js')}`).filter((text) => !isAdded(text));
	}
	expect(built).toEqual(written);
});

/** Texts that look like code, each of which a build that changes code by patterns may change. */
const codeLike = [
	'Dear customer;\nyour order has arrived;\n\nBye;',
	'    four spaces\n\ta tab\n  two spaces',
	'(0, lodash_1.pick)(order)',
	'\nconst lodash_1 = require("lodash");\n',
	'"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\nexports.a = void 0;\n',
	'\nexports.a = a;\nexports.b = b;\n',
	'\n__exportStar(require("./a"), exports);\n',
	'\n//# sourceMappingURL=a.js.map',
	'/* a comment */ // another\r\n<!-- and one more -->',
];

test('texts that look like code are built unchanged', () => {
	const folder = mkdtempSync(path.join(tmpdir(), 'build-'));
	const recipe = ['gulpfile.js', 'package.json', 'tsconfig.json'];
	for (const name of recipe) writeFileSync(path.join(folder, name), readText(name));
	symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
	mkdirSync(path.join(folder, 'nodes'));
	for (const [index, text] of codeLike.entries()) {
		const template = text.replace(/[`\\$]/g, '\\$&').replaceAll('\r', '\\r');
		const source = `export const text = \`${template}\`;\nexport const quoted = ${JSON.stringify(text)};\n`;
		writeFileSync(path.join(folder, `nodes/text${index}.ts`), source);
	}
	execaSync('npx', ['gulp'], { cwd: folder });
	const built = codeLike.map((_, index) => {
		const exports: { text?: string; quoted?: string } = {};
		const script = readFileSync(path.join(folder, `dist/nodes/text${index}.js`), 'utf8');
		runInNewContext(script, { exports, require: () => ({}) });
		return exports;
	});
	rmSync(folder, { recursive: true });
	expect(built).toEqual(codeLike.map((text) => ({ text, quoted: text })));
}, 180_000);
