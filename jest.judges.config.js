'use strict';
// The tests of everything that calls the service, judged by a validating proxy. `npm run judges` starts that, and them.
const base = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
	...base,
	roots: ['credentials', 'execution', 'operations', 'reply', 'sandbox', 'transport', 'trigger'].map(
		(folder) => `<rootDir>/test/${folder}`,
	),
	reporters: ['default'],
};
