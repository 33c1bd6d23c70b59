'use strict';
// Runs the engine tests on another engine of n8n than this project's own: see main.ts.
const { projects } = require('../../../jest.config.js');

const { runtime, testEnvironment, ...engine } = projects.find(
	({ displayName }) => displayName === 'engine',
);

const [compile] = Object.values(engine.transform);
/** Packages of some engines that are ES modules: n8n's Node.js can require them, but Jest cannot. */
const modules = '/node_modules/(p-retry|p-queue|p-timeout|is-network-error|eventemitter3)/.*\\.js$';

/** @type {import('jest').Config} */
module.exports = {
	...engine,
	resolver: '<rootDir>/test/n8n/compat/resolver.js',
	transform: { ...engine.transform, [modules]: compile },
	transformIgnorePatterns: [],
	testTimeout: 60_000,
};
