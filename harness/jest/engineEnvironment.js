'use strict';
// The environment for packages that test files share (sharedPackages.js). Each test file loads the built package again,
// and its n8n has no state from earlier files. Expressions run on n8n's default engine if Node.js supports it (n8n
// itself needs Node.js 24 for it), otherwise on n8n's older engine.
const { AsyncLocalStorage } = require('node:async_hooks');
const path = require('node:path');

const { TestEnvironment } = require('jest-environment-node');
require('./n8nSettings.js'); // n8n reads its settings from the environment of the process

const { setTimeout: setRealTimeout } = globalThis;
const core = require.resolve('n8n-core');
/** n8n's defaults: ExpressionEngineConfig in @n8n/config; only the last value is the tests' own. */
const expressionEngine = {
	engine: Number.parseInt(process.versions.node, 10) >= 24 ? 'vm' : 'legacy',
	bridgeTimeout: 5000,
	bridgeMemoryLimit: 128,
	poolSize: 1,
	maxCodeCacheSize: 1024,
	lazyAcquire: true, // most deliveries need no evaluation, and an isolate takes 50 ms
};
const dist = path.resolve(__dirname, '../../dist', '.') + path.sep;

/**
 * The storages in use. Jest makes some for each test file, and Node.js would copy all of them to each promise as long as
 * the process lives.
 */
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...context) {
	storages.add(this);
	return run.apply(this, context);
};

module.exports = class EngineEnvironment extends TestEnvironment {
	async setup() {
		await super.setup();
		for (const file of Object.keys(require.cache))
			if (file.startsWith(dist)) delete require.cache[file];
		const loaded = require.cache[core]?.exports;
		if (loaded) loaded.DataDeduplicationService.instance = undefined; // n8n would create it only once
		const { Expression } = require('n8n-workflow');
		await Expression.initExpressionEngine?.(expressionEngine); // once in a process; older versions of n8n have only one engine
		// Tests and packages share timers, Date and Error: a clock that a test moves is moved in packages too, and an error
		// of a test is an Error there.
		globalThis.setTimeout = (...timer) => this.global.setTimeout(...timer);
		Object.assign(this.global, { Date, Error });
	}

	async teardown() {
		globalThis.setTimeout = setRealTimeout;
		for (const storage of storages) storage.disable(); // until the next run
		storages.clear();
		await super.teardown();
	}
};
