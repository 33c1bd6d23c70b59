'use strict';
// `npm run mutation`: the suites that a mutant has to fail, in one file, and quicker than Jest would be by itself.
const base = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
	...base,
	roots: ['<rootDir>/test/mutation'],
	testMatch: ['<rootDir>/test/mutation/mutants.ts'],
	testEnvironment: require.resolve('./test/mutation/environment.js'),
	runtime: '<rootDir>/test/mutation/runtime.js',
	reporters: ['default'],
	maxWorkers: 1,
};
