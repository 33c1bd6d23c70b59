'use strict';
// `npm run test:variants`: every operation and the trigger against every service that the specification leaves room for.
const base = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
	...base,
	roots: ['<rootDir>/test/variants'],
	testMatch: ['**/variants.test.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
	reporters: ['default'],
	globals: { randomCombinations: { count: 200, seed: Number(process.env.SEED ?? 1) } },
	maxWorkers: 1,
};
