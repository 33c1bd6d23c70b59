'use strict';
// For packages that test files share (sharedPackages.js): each file loads the built package again, and gets an n8n without the
// state of earlier files. Expressions run on n8n's default engine where Node.js can (n8n itself needs Node.js 24 for it), elsewhere on
// n8n's older one.
const path = require('node:path');

const { TestEnvironment } = require('jest-environment-node');
require('./environment.js'); // n8n's settings in the process's own environment

const { setTimeout: setRealTimeout } = globalThis;
const core = require.resolve('n8n-core');
/** n8n's defaults: ExpressionEngineConfig in @n8n/config; the last one is the tests' own. */
const expressionEngine = {
	engine: Number.parseInt(process.versions.node, 10) >= 24 ? 'vm' : 'legacy',
	bridgeTimeout: 5000,
	bridgeMemoryLimit: 128,
	poolSize: 1,
	maxCodeCacheSize: 1024,
	lazyAcquire: true, // most deliveries evaluate nothing, and an isolate takes 50 ms
};
const dist = path.resolve(__dirname, '../../dist', '.') + path.sep;

module.exports = class EngineEnvironment extends TestEnvironment {
	async setup() {
		await super.setup();
		for (const file of Object.keys(require.cache))
			if (file.startsWith(dist)) delete require.cache[file];
		const loaded = require.cache[core]?.exports;
		if (loaded) loaded.DataDeduplicationService.instance = undefined; // n8n makes one only
		const { Expression } = require('n8n-workflow');
		await Expression.initExpressionEngine?.(expressionEngine); // once in a process; older versions of n8n have one engine
		// What a test does to the clock holds in packages, too, and its errors are errors there.
		globalThis.setTimeout = (...timer) => this.global.setTimeout(...timer);
		Object.assign(this.global, { Date, Error });
	}

	async teardown() {
		globalThis.setTimeout = setRealTimeout;
		await super.teardown();
	}
};
