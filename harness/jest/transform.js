'use strict';
// Jest runs TypeScript, and ES modules of packages, as CommonJS.
const { transformSync } = require('esbuild');

module.exports = {
	process(source, sourcefile) {
		const options = { loader: 'ts', format: 'cjs', target: 'node20', sourcemap: 'external' };
		return transformSync(source, { ...options, sourcefile });
	},
};
