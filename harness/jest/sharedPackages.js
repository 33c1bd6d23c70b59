'use strict';
// For each test file, Jest loads every package again, including the 1,700 files of n8n-core. Here, Node.js loads packages once in a
// process.
const path = require('node:path');

const Runtime = require('jest-runtime').default;

const packages = path.join(path.sep, 'node_modules', path.sep);

module.exports = class SharedPackagesRuntime extends Runtime {
	requireModuleOrMock(from, name) {
		// expect.any(String) means the String of the tests, which Node.js itself does not have.
		if (/^(\.|node:|@jest\/|expect$)/.test(name)) return super.requireModuleOrMock(from, name);
		const file = require.resolve(name, { paths: [path.dirname(from)] });
		return file.includes(packages) ? require(file) : super.requireModuleOrMock(from, name);
	}
};
