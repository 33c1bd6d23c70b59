'use strict';
// The direction of imports in the whole repository, checked by `npm run lint`. Data flows one way; nothing runs in circles.

const nodes = 'nodes/BusinessMessaging';
/** Helpers that know nothing of the service, for every folder of the nodes. */
const helpers = `^${nodes}/(boundedMap|campaignName|foldText|jsonValues|log|mutex|readApproval|yieldToN8n)\\.ts$`;
/** Folders of the nodes for others of them. */
const inNodes = (...names) => [helpers, ...names.map((name) => `^${nodes}/${name}/`)];
const client = ['api', 'reading', 'phone', 'transport'];
const operations = [...client, 'operations'];

/** Each folder with what it may import besides its own files. */
const folders = {
	[`${nodes}/api`]: inNodes(),
	[`${nodes}/reading`]: inNodes('api'),
	[`${nodes}/phone`]: inNodes(),
	[`${nodes}/transport`]: inNodes('api', 'reading', 'phone'),
	[`${nodes}/operations`]: inNodes(...client),
	[`${nodes}/execution`]: inNodes(...operations),
	[`${nodes}/editor`]: inNodes(...operations),
	[`${nodes}/webhooks`]: inNodes(...operations),
	[`${nodes}/trigger`]: inNodes(...operations, 'webhooks', 'inbox'),
	[`${nodes}/inbox`]: inNodes(...operations, 'execution', 'webhooks'),
	nodes: [],
	credentials: [`^${nodes}/operations/phoneFields\\.ts$`], // the field Default Country is the same in both
	sandbox: [`^${nodes}/(api/|jsonValues)`],
	harness: ['^(nodes|credentials|sandbox)/'],
	playground: ['^(sandbox|harness)/'],
	bench: ['^(sandbox|harness)/', `^${nodes}/(api/|reading/|jsonValues)`],
	scripts: [
		'^(sandbox|harness)/',
		`^${nodes}/(api/|nodeProperties|trigger/triggerDescription|webhooks/intent)`,
	],
	test: ['^(nodes|credentials|sandbox|playground|bench|scripts|harness)/'],
};

const ownFiles = '^(nodes|credentials|sandbox|playground|bench|scripts|test|harness)/';

/** Forbids imports of this repository's files, except for those that match. */
const onlyImports = (name, from, allowed) => ({
	name,
	severity: 'error',
	from: { path: from },
	to: { path: ownFiles, pathNot: allowed },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{ name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
		onlyImports('helpers', helpers, [helpers]),
		...Object.entries(folders).map(([folder, allowed]) =>
			onlyImports(folder, `^${folder}/`, [`^${folder}/`, ...allowed]),
		),
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '^(dist|coverage|playground/n8n)/' },
		tsConfig: { fileName: 'tsconfig.repository.json' },
		// Also types: a circle of types is as hard to read as one of values.
		tsPreCompilationDeps: true,
	},
};
