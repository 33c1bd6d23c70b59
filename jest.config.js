'use strict';
// `npm test`: everything that needs nothing but this machine. test/e2e, on a real n8n, and the long
// run over all variants have configurations of their own.

/** @type {import('jest').Config} */
module.exports = {
	rootDir: __dirname,
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: [
		'/node_modules/',
		'<rootDir>/test/e2e/',
		'<rootDir>/test/variants/variants.test.ts',
	],
	testEnvironment: 'node',
	// dist is loaded as it is shipped; only TypeScript is transformed.
	transform: {
		'\\.ts$': [
			'@swc/jest',
			{
				jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
				module: { type: 'commonjs' },
				sourceMaps: 'inline',
			},
		],
	},
	globalSetup: '<rootDir>/test/support/globalSetup.ts',
	globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
	reporters: [
		'default',
		['<rootDir>/test/support/coverageReporter.js', { evidence: 'engineTests' }],
	],
	maxWorkers: '100%',
	// n8n-core is loaded anew by each test file.
	workerIdleMemoryLimit: '1GB',
	testTimeout: 30_000,
};
