'use strict';
// Jest restores mocks only before the next test of the same file. Tests of the engine share the clock with the files that
// run after them in the same process.
afterEach(() => jest.restoreAllMocks());
