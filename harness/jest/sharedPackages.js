'use strict';
// For each test file, Jest loads every package again, including the 1,700 files of n8n-core. Here, Node.js loads packages once in a
// process. The built nodes are loaded by n8n-core, so tests that want the same modules get them from Node.js, too.
const path = require('node:path');

const Runtime = require('jest-runtime').default;

const packages = path.join(path.sep, 'node_modules', path.sep);
const built = path.resolve(__dirname, '../../dist');

module.exports = class SharedPackagesRuntime extends Runtime {
	requireModuleOrMock(from, name) {
		// expect.any(String) means the String of the tests, which Node.js itself does not have.
		if (/^(\.|node:|@jest\/|expect$)/.test(name)) return super.requireModuleOrMock(from, name);
		const file = require.resolve(name, { paths: [path.dirname(from)] });
		const isShared = file.includes(packages) || file.startsWith(built);
		return isShared ? require(file) : super.requireModuleOrMock(from, name);
	}
};
