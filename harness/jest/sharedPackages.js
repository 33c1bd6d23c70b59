'use strict';
// By default, Jest loads every package again for each test file, including the 1,700 files of n8n-core. Here, Node.js
// loads packages once in a process. The built nodes are loaded by n8n-core, so tests that need the same modules also
// get them from Node.js.
const path = require('node:path');

const Runtime = require('jest-runtime').default;

const packages = path.join(path.sep, 'node_modules', path.sep);
const built = path.resolve(__dirname, '../../dist');

module.exports = class SharedPackagesRuntime extends Runtime {
	requireModuleOrMock(from, name) {
		// These modules stay separate: expect.any(String) means the String of the test's context, which differs from Node.js' own,
		// and libphonenumber-js takes options only if their constructor is its own Object.
		if (/^(\.|node:|@jest\/|expect$|libphonenumber-js\/)/.test(name))
			return super.requireModuleOrMock(from, name);
		const file = require.resolve(name, { paths: [path.dirname(from)] });
		const isShared = file.includes(packages) || file.startsWith(built);
		return isShared ? require(file) : super.requireModuleOrMock(from, name);
	}
};
