'use strict';
// Loads a package as n8n does, in a separate process, and prints what that took. For bench/load.ts.
const { createRequire } = require('node:module');
const path = require('node:path');

const [folder] = process.argv.slice(2);
// n8n has these in its memory already.
for (const name of ['n8n-workflow', 'lodash', 'luxon', 'zod'])
	createRequire(path.join(process.cwd(), 'package.json'))(name);

const { nodes, credentials } = require(path.join(folder, 'package.json')).n8n;
const heap = () => {
	global.gc();
	return process.memoryUsage().heapUsed / 1e6;
};
const heapBefore = heap();
const start = process.hrtime.bigint();
const loaded = [...nodes, ...credentials].map((file) => {
	const name = path.basename(file).split('.')[0];
	return new (require(path.join(folder, file))[name])();
});
const ms = Number(process.hrtime.bigint() - start) / 1e6;
const bytes = loaded.map((one) => Buffer.byteLength(JSON.stringify(one.description ?? {})));
console.log(JSON.stringify({ ms, heapMb: heap() - heapBefore, bytes: Math.max(...bytes) }));
