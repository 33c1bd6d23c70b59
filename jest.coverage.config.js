'use strict';
// `npm run coverage`: which lines and branches of nodes/ and credentials/ the tests of `npm test` execute over HTTP, in n8n's
// engine. The package is built without bundling for it (gulpfile.js), so that what is counted is found again in the sources.
const base = require('./jest.config.js');

// Only the tests that run nodes; the others look at files of the package or at the sandbox alone.
const folders = [
	'api',
	'credentials',
	'description',
	'editor',
	'examples',
	'execution',
	'operations',
	'reply',
	'security',
	'transport',
	'trigger',
	'variants',
];

process.env.PACKAGE_FOLDER = 'coverage/package';

/** @type {import('jest').Config} */
module.exports = {
	...base,
	// Also every service that the specification leaves room for, without combinations.
	// One test measures time, which counting would distort.
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/trigger/hostile.test.ts'],
	globals: { randomCombinations: { count: 0, seed: 1 } },
	roots: folders.map((folder) => `<rootDir>/test/${folder}`),
	reporters: ['default'],
	testTimeout: 180_000, // counting takes time
	collectCoverage: true,
	collectCoverageFrom: ['coverage/package/dist/**/*.js'],
	coverageDirectory: '<rootDir>/coverage/report',
	coverageReporters: ['text', 'text-summary', 'json', 'html'],
	coverageThreshold: { global: { lines: 95, branches: 90 } },
};
