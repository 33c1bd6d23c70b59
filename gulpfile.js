'use strict';
// `npm run build`. The package is put together beside dist and swapped in at the end: a build that fails leaves the last
// good one, and whoever reads dist meanwhile (a test run, n8n) never sees half a package.
const fs = require('node:fs/promises');
const { pipeline } = require('node:stream/promises');
const execa = require('execa');
const { dest, src } = require('gulp');

const target = 'dist';
const staging = `${target}.${process.pid}`;

/** One file for each source. n8n loads them with `require`, so both nodes share what a module keeps, e.g. the pace of a key. */
async function compile() {
	const command = ['-p', 'tsconfig.build.json', '--outDir', staging];
	await execa('tsc', command, { preferLocal: true }).catch((error) => {
		throw new Error(`The nodes do not compile:\n${error.stdout || error.message}`);
	});
}

/** Icons, codex files and output previews. Without `encoding: false` gulp 5 corrupts binary files. */
async function copyStaticFiles() {
	const files = ['nodes/**/*.{svg,png,json}', 'credentials/**/*.{svg,png}'];
	await pipeline(src(files, { base: '.', encoding: false }), dest(staging));
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
