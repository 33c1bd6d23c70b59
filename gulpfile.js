'use strict';
// The package is put together beside dist and swapped in at the end: a build that fails leaves the last good one, and
// whoever reads dist meanwhile (a test run, n8n) never sees half a package.
const { execFile } = require('node:child_process');
const fs = require('node:fs/promises');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const { promisify } = require('node:util');
const { minify } = require('@swc/core');
const { dest, src } = require('gulp');

const staging = `dist.${process.pid}`;

async function compile() {
	const tsc = require.resolve('typescript/bin/tsc');
	await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', staging]).catch((error) => {
		throw new Error(`The nodes do not compile:\n${error.stdout || error.message}`);
	});
}

/** White space goes, a tenth of the tarball; names stay, so that stack traces and reviewers can read them. */
async function removeWhiteSpace() {
	const files = await fs.readdir(staging, { recursive: true });
	for (const file of files.filter((name) => name.endsWith('.js')).map((name) => path.join(staging, name))) {
		const { code } = await minify(await fs.readFile(file, 'utf8'), { compress: false, mangle: false, ecma: 2022 });
		await fs.writeFile(file, code);
	}
}

/** Icons, codex files and output previews. Without `encoding: false` gulp 5 corrupts binary files. */
async function copyStaticFiles() {
	const files = ['nodes/**/*.{svg,png,json}', 'credentials/**/*.{svg,png}'];
	await pipeline(src(files, { base: '.', encoding: false }), dest(staging));
}

async function swap() {
	await fs.rm('dist', { recursive: true, force: true });
	await fs.rename(staging, 'dist');
}

async function build() {
	try {
		await compile();
		await removeWhiteSpace();
		await copyStaticFiles();
		await swap();
	} finally {
		await fs.rm(staging, { recursive: true, force: true });
	}
}

exports.default = build;
