/**
 * Holds a built description against n8n's own lint rules. They read literal objects in source files and cannot follow
 * properties that are put together by code, so the description is written out as the source file it would be.
 */
import { Linter } from 'eslint';
import type { ICredentialType, INodeTypeDescription } from 'n8n-workflow';
import tseslint from 'typescript-eslint';

type Rules = Linter.RulesRecord;

/** The plugin as far as it is used here; it has no types, and its configs are in ESLint's old format. */
interface NodesBasePlugin {
	rules: Record<string, unknown>;
	configs: Record<'nodes' | 'credentials', { rules: Rules }>;
}

const plugin = loadPlugin();

/** In an environment called "test" the plugin takes every file for a node called Test. */
function loadPlugin(): NodesBasePlugin {
	const environment = process.env.NODE_ENV;
	process.env.NODE_ENV = 'production';
	try {
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would come too early
		return require('eslint-plugin-n8n-nodes-base') as NodesBasePlugin;
	} finally {
		process.env.NODE_ENV = environment;
	}
}

/** Wants a slug of n8n's own documentation, where another rule of the same set wants a community credential's URL. */
const contradicted = 'n8n-nodes-base/cred-class-field-documentation-url-miscased';

/** Source text of a value: objects with bare keys and strings in single quotes, as the rules know them. */
function literal(value: unknown): string {
	if (typeof value === 'string')
		return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
	if (Array.isArray(value)) return `[\n${value.map((entry) => `${literal(entry)},\n`).join('')}]`;
	if (typeof value !== 'object' || value === null) return String(value);
	const entries = Object.entries(value)
		.filter(([, entry]) => entry !== undefined && typeof entry !== 'function')
		// The order of keys, for which there is a rule, means nothing in a built object.
		.sort(([a], [b]) => Number(b === 'displayName') - Number(a === 'displayName'));
	return `{\n${entries.map(([key, entry]) => `${keyOf(key)}: ${literal(entry)},\n`).join('')}}`;
}

function keyOf(key: string): string {
	return /^[\w$]+$/.test(key) ? key : literal(key);
}

function lint(filename: string, code: string, rules: Rules): string[] {
	const config = {
		files: ['**/*.ts'],
		languageOptions: { parser: tseslint.parser },
		plugins: { 'n8n-nodes-base': plugin },
		rules,
	};
	const messages = new Linter().verify(code, [config] as Linter.Config[], { filename });
	const lines = code.split('\n');
	return messages.map(
		({ ruleId, message, line }) => `${ruleId}: ${message}: ${lines[line - 1]?.trim()}`,
	);
}

/** All rules of the set `nodes`. @returns what is wrong, one line each */
export function lintNode(
	filename: string,
	className: string,
	description: INodeTypeDescription,
): string[] {
	const code = `export class ${className} implements INodeType { description: INodeTypeDescription = ${literal(description)}; }`;
	return lint(filename, code, plugin.configs.nodes.rules);
}

/** All rules of the set `credentials` but one. @returns what is wrong, one line each */
export function lintCredential(
	filename: string,
	className: string,
	credential: ICredentialType,
): string[] {
	const fields = Object.entries(credential).map(([name, value]) => {
		const type =
			{ properties: ': INodeProperties[]', authenticate: ': IAuthenticateGeneric' }[name] ?? '';
		return `${name}${type} = ${literal(value)};\n`;
	});
	const code = `export class ${className} implements ICredentialType {\n${fields.join('')}}`;
	return lint(filename, code, { ...plugin.configs.credentials.rules, [contradicted]: 'off' });
}
