'use strict';
// A resolver for Jest: n8n-core and n8n-workflow, and everything that the built package requires, come from an engine
// of n8n that is installed elsewhere, because n8n also gives community nodes its own modules. All other modules of the
// tests come from this project.
const path = require('node:path');

const root = path.resolve(__dirname, '../../..');
const dist = path.join(root, 'dist');
/** Folders called node_modules, in the order in which they are searched. */
const places = (process.env.ENGINE_MODULES ?? '').split(path.delimiter);

const isBelow = (folder, file) => file === folder || file.startsWith(folder + path.sep);

/** @param request what is required */
module.exports = function resolve(request, options) {
	const { basedir, defaultResolver } = options;
	const isPackage = isBelow(dist, basedir) && !request.startsWith('.');
	const isOurs = isBelow(root, basedir) && !basedir.includes('node_modules');
	if (!isPackage && !(isOurs && /^n8n-(core|workflow)(\/|$)/.test(request)))
		return defaultResolver(request, options);
	return require.resolve(request, { paths: places.map((place) => path.dirname(place)) });
};
