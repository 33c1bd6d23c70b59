'use strict';
// `npm run test:mutation`: the test suites of which at least one must fail for a mutant, in one file.
const { projects, testTimeout } = require('../../jest.config.js');

const { displayName, ...engine } = projects.find((one) => one.displayName === 'engine');

/** @type {import('jest').Config} */
module.exports = {
	...engine,
	roots: ['<rootDir>/test/engine'],
	testMatch: ['<rootDir>/test/engine/mutants.ts'],
	testEnvironment: require.resolve('./mutationEnvironment.js'),
	testTimeout,
	reporters: ['default'],
	maxWorkers: 1,
};
