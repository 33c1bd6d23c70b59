'use strict';
// `npm run test:e2e`: on a real n8n, one test file after another.
const base = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
	...base,
	roots: ['<rootDir>/test/e2e'],
	testPathIgnorePatterns: ['/node_modules/'],
	reporters: ['default', ['<rootDir>/test/support/coverageReporter.js', { evidence: 'realN8n' }]],
	maxWorkers: 1,
	testTimeout: 15 * 60_000,
};
