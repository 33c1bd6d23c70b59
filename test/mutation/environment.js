'use strict';
// The built package is loaded again for each mutant, by Node.js itself (see runtime.js), and finds there the mutant that is to be
// active. After the first test that fails, the others of the file are left out: the mutant is found.
const path = require('node:path');

const { TestEnvironment } = require('jest-environment-node');
require('tsx/cjs');
require('../support/environment.ts'); // n8n's settings in the process's own environment
const { DataDeduplicationService } = require('n8n-core');

const { setTimeout: setRealTimeout } = globalThis;
const dist = path.resolve(__dirname, '../../dist', '.') + path.sep;

module.exports = class MutationEnvironment extends TestEnvironment {
	async setup() {
		await super.setup();
		for (const file of Object.keys(require.cache))
			if (file.startsWith(dist)) delete require.cache[file];
		DataDeduplicationService.instance = undefined; // n8n makes one only
		globalThis.__stryker__ = this.global.__stryker__;
		// Packages that are shared wait by the clock of the test, which may be one that only the test moves.
		globalThis.setTimeout = (...timer) => this.global.setTimeout(...timer);
	}

	async teardown() {
		globalThis.setTimeout = setRealTimeout;
		await super.teardown();
	}

	async handleTestEvent({ name, test }) {
		if (name === 'test_done') this.hasFailed ||= test.errors.length > 0;
		if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
	}
};
