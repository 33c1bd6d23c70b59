/** docs/errors.md: what the nodes say while they run, read from their source so that no error is missing. */
import ts from 'typescript';

import { filesBelow, readText } from '../test/support/files';

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
