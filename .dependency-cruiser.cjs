'use strict';
// The direction of imports in the whole repository, checked by `npm run lint`. Data flows one way; nothing runs in circles.

const nodes = '^nodes/BusinessMessaging';

/** The folders of the nodes, each with the folders that it may import. */
const nodeFolders = {
	api: [],
	phone: [],
	transport: ['api', 'phone'],
	operations: ['api', 'phone', 'transport'],
	execution: ['api', 'phone', 'transport', 'operations'],
	editor: ['api', 'phone', 'transport', 'operations'],
	webhooks: ['api', 'phone', 'transport', 'operations'],
	trigger: ['api', 'phone', 'transport', 'operations', 'webhooks'],
	reply: ['api', 'phone', 'transport', 'operations', 'execution', 'webhooks'],
};

/** Helpers that know nothing of messaging, for every folder of the nodes. */
const nodeHelpers = `${nodes}/(boundedMap|mutex)\\.ts$`;

/** All other folders, each with what it may import. */
const folders = {
	credentials: [`${nodes}/operations/phone\\.ts$`], // the field Default Country is the same in both
	sandbox: [`${nodes}/api/`],
	tools: ['^sandbox/', `${nodes}/api/`],
	playground: ['^(sandbox|tools)/'],
	bench: ['^(sandbox|tools)/', `${nodes}/api/`, '^test/support/'],
	scripts: ['^(sandbox|test|tools)/', `${nodes}/(api/|description)`],
	test: ['^(nodes|credentials|sandbox|playground|bench|scripts|tools)/'],
};

const ownFiles = '^(nodes|credentials|sandbox|playground|bench|scripts|test|tools)/';

/** Forbids a folder to import files of this repository other than its own and those that match. */
function onlyImports(name, folder, allowed) {
	return {
		name,
		severity: 'error',
		from: { path: folder },
		to: { path: ownFiles, pathNot: [folder, ...allowed] },
	};
}

const anyOf = (names) => `${nodes}/(${names.join('|')})/`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{ name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
		...Object.entries(nodeFolders).map(([folder, below]) =>
			onlyImports(`nodes-${folder}`, anyOf([folder]), [
				nodeHelpers,
				...(below.length > 0 ? [anyOf(below)] : []),
			]),
		),
		onlyImports('nodes-helpers', nodeHelpers, []),
		onlyImports('nodes', '^nodes/', []),
		...Object.entries(folders).map(([folder, allowed]) =>
			onlyImports(folder, `^${folder}/`, allowed),
		),
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '^(dist|coverage|playground/n8n)/' },
		tsConfig: { fileName: 'tsconfig.json' },
		// Also types: a circle of types is as hard to read as one of values.
		tsPreCompilationDeps: true,
	},
};
