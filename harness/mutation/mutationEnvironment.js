'use strict';
// Tells the built package which mutant is active. After the first test that fails, the other tests of the file are
// skipped, because the mutant is noticed.
const EngineEnvironment = require('../jest/engineEnvironment.js');

module.exports = class MutationEnvironment extends EngineEnvironment {
	async setup() {
		await super.setup();
		globalThis.__stryker__ = this.global.__stryker__;
	}

	async handleTestEvent({ name, test }) {
		if (name === 'test_done') this.hasFailed ||= test.errors.length > 0;
		if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
	}
};
