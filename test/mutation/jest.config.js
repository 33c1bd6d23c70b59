'use strict';
// `npm run test:mutation`: the suites that a mutant has to fail, in one file.
const { projects, testTimeout } = require('../../jest.config.js');

const { displayName, testPathIgnorePatterns, ...engine } = projects[1];

/** @type {import('jest').Config} */
module.exports = {
	...engine,
	roots: ['<rootDir>/test/mutation'],
	testMatch: ['<rootDir>/test/mutation/mutants.ts'],
	testEnvironment: require.resolve('./environment.js'),
	testTimeout,
	reporters: ['default'],
	maxWorkers: 1,
};
