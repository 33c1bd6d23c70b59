'use strict';
// Gives Jest the source map of each file in dist, so that it shows positions in the sources.
const { readFileSync } = require('node:fs');

module.exports = {
	process: (code, file) => ({ code, map: JSON.parse(readFileSync(`${file}.map`, 'utf8')) }),
};
