'use strict';
// The package is put together beside dist and swapped in at the end: a build that fails leaves the last good one, and
// whoever reads dist meanwhile (a test run, n8n) never sees half a package.
const { execFile } = require('node:child_process');
const fs = require('node:fs/promises');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const { promisify } = require('node:util');
const { build } = require('esbuild');
const { dest, src } = require('gulp');

const { n8n } = require('./package.json');

/** Where a build is put together; renamed to its place at the end. */
const staging = `dist.${process.pid}`;
const bundle = 'nodes/BusinessMessaging/bundle.js';
/** The files that package.json names for n8n, relative to dist. */
const entries = [...n8n.nodes, ...n8n.credentials].map((file) => path.posix.relative('dist', file));
/** n8n finds a class by the name of its file. */
const classOf = (file) => path.posix.basename(file).split('.')[0];

async function checkTypes() {
	const tsc = require.resolve('typescript/bin/tsc');
	await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json']).catch((error) => {
		throw new Error(`The nodes do not compile:\n${error.stdout || error.message}`);
	});
}

/**
 * One file for all, as the nodes share what they keep in the process, e.g. the pace of a key. It is small without white
 * space and names; the same sources give the same file, so that a place in it can be found again.
 */
async function compile() {
	const contents = entries
		.map((file) => `export { ${classOf(file)} } from './${file.replace(/\.js$/, '')}';`)
		.join('\n');
	const stdin = { contents, resolveDir: __dirname, loader: 'ts' };
	const outfile = path.join(staging, bundle);
	await build({
		stdin,
		outfile,
		bundle: true,
		packages: 'external',
		platform: 'node',
		target: 'node20',
		minify: true,
		logLevel: 'error',
	});
	for (const file of entries) {
		const target = path.join(staging, file);
		await fs.mkdir(path.dirname(target), { recursive: true });
		const from = path.posix.relative(path.posix.dirname(file), bundle);
		await fs.writeFile(
			target,
			`'use strict';\nexports.${classOf(file)} = require('${from.startsWith('.') ? from : `./${from}`}').${classOf(file)};\n`,
		);
	}
}

/** One file for each source, with its source map: what is covered is found again in the sources. */
async function compileForCoverage() {
	await build({
		entryPoints: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		outbase: '.',
		outdir: staging,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		sourcemap: 'inline',
		logLevel: 'error',
	});
}

/** Icons, codex files and output previews. Without `encoding: false` gulp 5 corrupts binary files. */
async function copyStaticFiles() {
	const files = ['nodes/**/*.{svg,png,json}', 'credentials/**/*.{svg,png}'];
	await pipeline(src(files, { base: '.', encoding: false }), dest(staging));
}

async function swap(place) {
	await fs.rm(place, { recursive: true, force: true });
	await fs.mkdir(path.dirname(place), { recursive: true });
	await fs.rename(staging, place);
}

async function assemble(compileCode, place) {
	try {
		await checkTypes();
		await compileCode();
		await copyStaticFiles();
		await swap(place);
	} finally {
		await fs.rm(staging, { recursive: true, force: true });
	}
}

exports.default = async function shipped() {
	await assemble(compile, 'dist');
};

/** The same package in `coverage/package`, for `npm run test:coverage`. */
exports.coverage = async function coverage() {
	await assemble(compileForCoverage, 'coverage/package/dist');
	await fs.copyFile('package.json', 'coverage/package/package.json');
};
