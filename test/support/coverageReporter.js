'use strict';
// Writes docs/coverage.md after a run of all tests, from the calls that they have recorded, and fails the run if an
// endpoint was called by none. Jest does not compile reporters, hence JavaScript and tsx.
// Option `evidence`: which part of the table these tests give, `engineTests` or `realN8n`.
const fs = require('node:fs');

require('tsx/cjs');
const { recordFolder } = require('./records.ts');
const { recordCoverage } = require('./coverage.ts');

module.exports = class CoverageReporter {
	constructor(globalConfig, { evidence }) {
		this.evidence = evidence;
		const {
			testNamePattern,
			onlyChanged,
			onlyFailures,
			findRelatedTests,
			runTestsByPath,
			shard,
			watch,
		} = globalConfig;
		const isFiltered = globalConfig.testPathPatterns.patterns.length > 0;
		this.isWhole = !(
			isFiltered ||
			testNamePattern ||
			onlyChanged ||
			onlyFailures ||
			findRelatedTests ||
			runTestsByPath ||
			shard ||
			watch
		);
	}

	onRunStart() {
		fs.rmSync(recordFolder(this.evidence), { recursive: true, force: true });
	}

	onRunComplete(_contexts, { numFailedTests, numRuntimeErrorTestSuites, wasInterrupted }) {
		if (!this.isWhole || wasInterrupted || numFailedTests + numRuntimeErrorTestSuites > 0) return;
		const missing = recordCoverage(this.evidence, recordFolder(this.evidence));
		if (missing.length === 0) return;
		this.error = new Error(`No test has called: ${missing.join(', ')}`);
		process.stderr.write(`\n${this.error.message}\n`); // Jest only looks whether there is an error
	}

	getLastError() {
		return this.error;
	}
};
