'use strict';
// All tests. `npm test` leaves out `slow`, `variants`, `fuzz`, `release` and `e2e`, which take long. Mutation testing and the
// coverage of the nodes run some of them in their own way: harness/mutation, harness/coverage.
const { availableParallelism } = require('node:os');

// The nodes read a time without a zone as UTC. If the tests ran in UTC, they would also pass with the server's zone.
process.env.TZ = 'Asia/Kathmandu';

/** @type {import('jest').Config} */
const common = {
	rootDir: __dirname,
	roots: ['<rootDir>/test'],
	testEnvironment: 'node',
	// dist is loaded as it is shipped; only TypeScript is transformed.
	transform: { '\\.ts$': '<rootDir>/harness/jest/transform.js' },
	globalSetup: '<rootDir>/harness/jest/globalSetup.ts',
	restoreMocks: true,
	setupFilesAfterEnv: ['<rootDir>/harness/jest/restoreMocks.js'],
};

/** Packages are loaded once in a process instead of once for each test file. Tests cannot replace globals in them. */
const shared = {
	...common,
	testEnvironment: '<rootDir>/harness/jest/engineEnvironment.js',
	runtime: '<rootDir>/harness/jest/sharedPackages.js',
};

const project = (settings, displayName, ...folders) => ({
	...settings,
	displayName,
	testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/!(*.slow).test.ts`),
});

const projects = [
	project(shared, 'unit', 'unit'),
	project(common, 'repository', 'repository'),
	project(shared, 'engine', 'engine'),
	project(shared, 'service', 'service/sandbox', 'service/contract'),
	project(common, 'variants', 'service/variants'),
	{ ...shared, displayName: 'slow', testMatch: ['<rootDir>/test/**/*.slow.test.ts'] },
	project(shared, 'fuzz', 'fuzz'),
	project(common, 'release', 'release'),
	project(common, 'e2e', 'n8n/e2e'),
];

/**
 * `--selectProjects engine execution/campaign`: Jest takes every word after the flag for the name of a project. Here the words that
 * name none are paths, and only the files that contain one of them run.
 */
function onlyNamedFiles(argv) {
	const [, ...words] = argv.slice(argv.indexOf('--selectProjects'));
	const end = words.findIndex((word) => word.startsWith('-'));
	const names = projects.map(({ displayName }) => displayName);
	const paths = words.slice(0, end < 0 ? undefined : end).filter((word) => !names.includes(word));
	if (!argv.includes('--selectProjects') || paths.length === 0) return projects;
	const others = `^(?!.*(?:${paths.join('|')})).*\\.test\\.ts$`;
	return projects.map((one) => ({ ...one, testPathIgnorePatterns: [others] }));
}

/** @type {import('jest').Config} */
module.exports = {
	projects: onlyNamedFiles(process.argv),
	testTimeout: 150_000, // longer than `until` waits, which then says for what; properties take more than a minute on a busy machine
	maxWorkers: Math.min(3 * availableParallelism(), 8), // many tests wait for timers, and few need much memory
	// What test files leave behind goes with their process.
	workerIdleMemoryLimit: '1GB',
	workerGracefulExitTimeout: 10_000, // a process with much memory takes longer to end than the half second by default
};
