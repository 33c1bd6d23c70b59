'use strict';
// All tests. `npm test` leaves out `variants` and `e2e`, which take long. Mutation testing and the coverage of the nodes run some of
// them in their own way: test/mutation, test/coverage.
const { availableParallelism } = require('node:os');

/** Folders of test/ by project; all others need n8n's engine, against the sandbox over HTTP. */
const folders = {
	unit: ['api', 'description', 'phone', 'repository', 'simulation', 'tools'],
	sandbox: ['sandbox'],
	contract: ['contract'],
	e2e: ['e2e'],
	variants: ['variants'],
};

/** @type {import('jest').Config} */
const common = {
	rootDir: __dirname,
	roots: ['<rootDir>/test'],
	testEnvironment: 'node',
	// dist is loaded as it is shipped; only TypeScript is transformed.
	transform: { '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' } } }] },
	globalSetup: '<rootDir>/test/support/globalSetup.ts',
};

/** Packages are loaded once in a process instead of once for each test file. */
const shared = {
	...common,
	testEnvironment: '<rootDir>/test/support/engineEnvironment.js',
	runtime: '<rootDir>/test/support/sharedPackages.js',
};

/** The test files of some folders. */
const below = (names) => names.map((name) => `<rootDir>/test/${name}/**/*.test.ts`);

/** @type {import('jest').Config} */
module.exports = {
	projects: [
		{ ...common, displayName: 'unit', testMatch: below(folders.unit) },
		{
			...shared,
			displayName: 'engine',
			testMatch: below(['*']),
			testPathIgnorePatterns: Object.values(folders)
				.flat()
				.map((name) => `<rootDir>/test/${name}/`),
		},
		{ ...shared, displayName: 'sandbox', testMatch: below(folders.sandbox) },
		{ ...shared, displayName: 'contract', testMatch: below(folders.contract) },
		{ ...common, displayName: 'variants', testMatch: below(folders.variants) },
		{ ...common, displayName: 'e2e', testMatch: below(folders.e2e) },
	],
	testTimeout: 70_000, // longer than `until` waits, which then says for what
	maxWorkers: Math.max(2, availableParallelism() - 1),
	// What test files leave behind goes with their process.
	workerIdleMemoryLimit: '1GB',
};
