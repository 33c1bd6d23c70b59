// `npm run test:mutation -- FOLDER`: puts faults (mutants) into the sources, one at a time, and checks that a test
// fails for each. If no test fails, a mistake in that line would stay unnoticed. A folder takes twenty minutes or more,
// so this runs at night.
//
// These mutants survive, and were examined: how long the limiter sleeps until it checks again, which only real time
// shows; what changes by others cost while a list is read (only requests, never records); the order in which forms of a
// webhook are tried; a boundary at one millisecond; the name of an error class; some advice in errors; what the hooks of
// the trigger return, which n8n ignores; defaults of fields that n8n always fills in; checks that only keep work from
// being done twice; and memory that is freed a little later.

const { MUTATION_FOLDER: folder, MUTATION_PARTS: parts, MUTATION_RESULTS: results } = process.env;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: parts?.split(','),
	testRunner: 'jest',
	jest: { configFile: 'harness/mutation/jest.config.js', enableFindRelatedTests: false }, // most tests load dist, so Jest cannot see from their imports which sources they test
	buildCommand: 'npm run build',
	disableTypeChecks: 'nodes/**/!(*Table).ts', // Stryker changes these files; a test reads the tables as they are written
	ignorePatterns: ['/coverage', '/deploy', '/dist', '/docs'],
	tempDirName: 'coverage/stryker',
	coverageAnalysis: 'perTest',
	// Code that runs while the package is loaded is data: names, labels, descriptions, patterns of the editor. Each
	// mutant in it would need a run of all tests. The rules for this data are checked in test/repository/description.
	ignoreStatic: true,
	concurrency: 6, // tests spend most of their time waiting: for the rate of the service, or before a retry
	timeoutMS: 10_000,
	dryRunTimeoutMinutes: 15,
	maxTestRunnerReuse: 200,
	reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
	clearTextReporter: { allowColor: false, reportTests: false },
	jsonReporter: { fileName: `${results}/${folder}.json` },
	htmlReporter: { fileName: `${results}/${folder}.html` },
};
