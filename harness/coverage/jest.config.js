'use strict';
// `npx jest --config harness/coverage/jest.config.js`: which lines and branches of nodes/ and credentials/ the tests
// execute over HTTP, in n8n's engine. Coverage is counted in dist, because the tests run the code in dist. Source maps
// lead back to the sources.
const { projects, ...settings } = require('../../jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
	...settings,
	rootDir: projects[0].rootDir,
	// Includes each variant of the service that the specification allows, but no combinations.
	projects: projects
		.filter(({ displayName }) => ['engine', 'variants'].includes(displayName))
		.map(({ runtime, testEnvironment, ...project }) => ({
			...project,
			testPathIgnorePatterns: [...(project.testPathIgnorePatterns ?? []), 'combinations'],
			collectCoverageFrom: ['dist/**/*.js'],
			transform: { ...project.transform, '/dist/.*\\.js$': '<rootDir>/harness/coverage/withSourceMap.js' },
		})),
	testTimeout: 180_000, // counting takes time
	collectCoverage: true,
	collectCoverageFrom: ['dist/**/*.js'],
	coverageDirectory: '<rootDir>/coverage/report',
	coverageReporters: ['text', 'text-summary', 'json', 'html'],
	coverageThreshold: { global: { lines: 95, branches: 90 } },
};
