'use strict';
// `npm run build`. The package is put together beside dist and swapped in at the end: a build that fails leaves the last
// good one, and whoever reads dist meanwhile (a test run, n8n) never sees half a package.
const fs = require('node:fs/promises');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const execa = require('execa');
const { dest, src } = require('gulp');

const target = 'dist';
const staging = `${target}.${process.pid}`;

/** One file for each source. n8n loads them with `require`, so both nodes share what a module keeps, e.g. the rate of a key. */
async function compile() {
	const command = ['--outDir', staging];
	await execa('tsc', command, { preferLocal: true }).catch((error) => {
		throw new Error(`The nodes do not compile:\n${error.stdout || error.message}`);
	});
}

/** Icons, and JSON without spaces: codex files and output previews. Without `encoding: false` gulp 5 corrupts binary files. */
async function copyStaticFiles() {
	const files = 'nodes/**/*.{svg,png,json}';
	await pipeline(src(files, { base: '.', encoding: false }), dest(staging));
	for (const name of await fs.readdir(staging, { recursive: true })) {
		if (!name.endsWith('.json')) continue;
		const file = path.join(staging, name);
		await fs.writeFile(file, JSON.stringify(JSON.parse(await fs.readFile(file, 'utf8'))));
	}
}

exports.default = async function build() {
	try {
		await compile();
		await copyStaticFiles();
		await fs.rm(target, { recursive: true, force: true });
		await fs.rename(staging, target);
	} finally {
		await fs.rm(staging, { recursive: true, force: true });
	}
};
