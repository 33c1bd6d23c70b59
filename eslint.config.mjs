// Three layers: TypeScript's rules for all code, a few of our own, and for what is shipped (nodes/, credentials/ and
// package.json) every rule of both n8n plugins as an error. Prettier checks the format.
import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import nodesBasePlugin from 'eslint-plugin-n8n-nodes-base';
import regexp from 'eslint-plugin-regexp';
import lodash from 'lodash';
import tseslint from 'typescript-eslint';

const { mapKeys, mapValues, omit } = lodash;

const shipped = ['nodes/**/*.{ts,json}', 'credentials/**/*.{ts,json}', 'package.json'];

/** All rules of @n8n/eslint-plugin-community-nodes; its own recommendation makes some of them mere warnings. */
const communityRules = mapKeys(
	mapValues(n8nCommunityNodesPlugin.rules, () => 'error'),
	(_, rule) => `@n8n/community-nodes/${rule}`,
);

/**
 * Three rules of eslint-plugin-n8n-nodes-base demand what rules made for community packages forbid, so that no code can
 * pass both; n8n's own scanner leaves out the same three (and two more that are kept here). They are left out:
 * - documentation-url-miscased wants a camelCase slug, "only applicable to nodes in the main repository", where
 *   documentation-url-not-http-url and credential-documentation-url want a URL;
 * - inputs-wrong-regular-node and outputs-wrong want the literal ['main'], where node-connection-type-literal wants
 *   NodeConnectionTypes.Main. test/repository/description holds both of them on the built description, which has the literal.
 */
const contradicted = [
	'n8n-nodes-base/cred-class-field-documentation-url-miscased',
	'n8n-nodes-base/node-class-description-inputs-wrong-regular-node',
	'n8n-nodes-base/node-class-description-outputs-wrong',
];

/** One rule set of eslint-plugin-n8n-nodes-base; its configs are in the old format, so only the rules are taken. */
const nodesBaseRules = (set) => omit(nodesBasePlugin.configs[set].rules, contradicted);

/** The file that exports each name of the nodes: a name that two files export means two things. */
const exportedBy = new Map();

/** Refuses a name that another file of the nodes exports already, e.g. as a type. */
const uniqueExport = {
	create: (context) => ({
		'ExportNamedDeclaration[source=null] > .declaration': ({ declarations, id, ...node }) => {
			for (const name of (declarations ?? [{ id }]).map((one) => one.id?.name)) {
				const file = exportedBy.get(name) ?? context.filename;
				exportedBy.set(name, file);
				if (file !== context.filename)
					context.report({ loc: node.loc, message: `${file} exports "${name}" already.` });
			}
		},
	}),
};

export default tseslint.config(
	{
		ignores: ['dist/', 'dist.*/', 'coverage/', 'playground/n8n/', '.playground/'],
	},
	{ linterOptions: { reportUnusedDisableDirectives: 'error' } },

	// n8n's default configuration has these too. TypeScript's own rules come after them and replace some.
	{ files: ['nodes/**/*.ts', 'credentials/**/*.ts'], ...js.configs.recommended },
	{
		files: ['**/*.{ts,tsx}'],
		extends: [tseslint.configs.recommendedTypeChecked],
		languageOptions: {
			parserOptions: {
				project: ['tsconfig.repository.json', 'sandbox/phone/page/tsconfig.json'],
				tsconfigRootDir: import.meta.dirname,
			},
		},
		rules: {
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/switch-exhaustiveness-check': [
				'error',
				{ considerDefaultExhaustiveForUnions: true },
			],
			// The interfaces of n8n and Fastify demand functions that return promises, also where there is nothing to wait for.
			'@typescript-eslint/require-await': 'off',
		},
	},
	{
		// Answers of HTTP calls and of n8n's engine are `any` there; a wrong shape fails the test that reads it.
		files: ['test/**/*.ts', 'harness/{engine,editor,n8n}/**/*.ts', 'harness/savedWorkflows.ts'],
		rules: {
			'@typescript-eslint/no-base-to-string': 'off',
			'@typescript-eslint/no-unsafe-argument': 'off',
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-call': 'off',
			'@typescript-eslint/no-unsafe-member-access': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
		},
	},

	{
		files: ['**/*.{ts,tsx,js,mjs}'],
		rules: {
			eqeqeq: ['error', 'always', { null: 'ignore' }],
			'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
			'no-console': 'error',
			'prefer-const': 'error',
		},
	},
	{
		files: [
			'{bench,playground,scripts,harness}/**',
			'sandbox/main.ts',
			'test/n8n/{compat,deployment,queue,soak}/**',
		],
		rules: { 'no-console': 'off' },
	},
	{ files: ['{test,harness}/**/*.{ts,js,mjs}'], rules: { 'max-lines': ['error', { max: 400 }] } },
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		plugins: { regexp, ours: { rules: { 'unique-export': uniqueExport } } },
		rules: {
			'ours/unique-export': 'error',
			'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
			// texts come from anyone who writes to the business
			'regexp/no-super-linear-backtracking': 'error',
			'regexp/no-super-linear-move': 'error',
		},
	},
	{
		files: shipped,
		plugins: { '@n8n/community-nodes': n8nCommunityNodesPlugin, 'n8n-nodes-base': nodesBasePlugin },
		// No comment can switch a rule off in what is shipped; one that tries is a warning, and no warning is allowed.
		linterOptions: { noInlineConfig: true },
		rules: communityRules,
	},
	{ files: ['**/*.json'], languageOptions: { parser: tseslint.parser } },
	{ files: ['package.json'], rules: nodesBaseRules('community') },
	{ files: ['credentials/**/*.ts'], rules: nodesBaseRules('credentials') },
	{ files: ['nodes/**/*.ts'], rules: nodesBaseRules('nodes') },
);
