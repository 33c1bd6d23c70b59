'use strict';
// Gives Jest a source map of each file in dist, so that it shows positions in the sources. The package itself has none.
const { readFileSync } = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const root = path.resolve(__dirname, '..', '..');
const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);

module.exports = {
	process(code, file) {
		const source = path.join(root, path.relative(path.join(root, 'dist'), file).replace(/js$/, 'ts'));
		const compilerOptions = { ...options, sourceMap: true };
		const built = ts.transpileModule(readFileSync(source, 'utf8'), { compilerOptions, fileName: source });
		const map = JSON.parse(built.sourceMapText);
		return { code, map: { ...map, sources: [source] } };
	},
};
