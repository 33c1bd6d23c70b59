// `npm run test:mutation -- FOLDER`: faults are put into the sources, one at a time, and the tests have to notice. A mutant that no
// test notices is a line that could be wrong unseen. Takes twenty minutes or more for a folder, so it runs at night.
//
// What survives was looked at: how long the limiter sleeps until it looks again, which only real time shows; what other people's
// changes cost while a list is read, in requests, never in records; the order in which forms of a webhook are tried; a boundary
// at one millisecond; the name of an error class, some advice.

const folder = process.env.MUTATION_FOLDER ?? 'transport';
const files = folder === 'shared' ? '*.ts' : `${folder}/**/*.ts`;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: [`nodes/BusinessMessaging/${files}`, '!nodes/**/*Table.ts'],
	testRunner: 'jest',
	jest: { configFile: 'harness/mutation/jest.config.js', enableFindRelatedTests: false }, // most tests load dist, so what they import tells nothing
	buildCommand: 'npm run build',
	ignorePatterns: ['/coverage', '/deploy', '/dist', '/docs'],
	tempDirName: 'coverage/stryker',
	coverageAnalysis: 'perTest',
	// What is executed while the package is loaded is data: names, labels, descriptions, patterns of the editor. Each would need a
	// run of all tests; test/unit/description holds the rules for it.
	ignoreStatic: true,
	concurrency: 6, // tests mostly wait: for the rate of the service, and before something is made again
	timeoutMS: 10_000,
	maxTestRunnerReuse: 200,
	reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
	clearTextReporter: { allowColor: false, reportTests: false },
	jsonReporter: { fileName: `coverage/mutation/${folder}.json` },
	htmlReporter: { fileName: `coverage/mutation/${folder}.html` },
};
