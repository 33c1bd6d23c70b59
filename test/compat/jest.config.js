'use strict';
// The tests of the engine on another engine of n8n than this project's own: see main.ts.
const { projects } = require('../../jest.config.js');

const engine = projects.find(({ displayName }) => displayName === 'engine');

/** @type {import('jest').Config} */
module.exports = { ...engine, resolver: '<rootDir>/test/compat/resolver.js', testTimeout: 60_000 };
