'use strict';
// `npm run build`. The package is put together beside dist and swapped in at the end: a build that fails leaves the last
// good one, and whoever reads dist meanwhile (a test run, n8n) never sees half a package.
const fs = require('node:fs/promises');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const { decode, encode } = require('@jridgewell/sourcemap-codec');
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

/**
 * The files indent with tabs as their sources do, do not name their source maps, which stay here, and do not export `undefined`
 * before the value, which only circular imports could see, or the mark of an ES module, which nobody asks for: two per cent of the package.
 */
async function tidy() {
	const files = await fs.readdir(staging, { recursive: true });
	for (const file of files.filter((name) => name.endsWith('.js'))) {
		const script = path.join(staging, file);
		const map = JSON.parse(await fs.readFile(`${script}.map`, 'utf8'));
		const mappings = decode(map.mappings);
		const lines = (await fs.readFile(script, 'utf8'))
			.replace(/\n\/\/# sourceMappingURL=.*$/, '\n')
			.replace(/^Object\.defineProperty\(exports, "__esModule".*$/m, '')
			.replace(/^exports\..* = void 0;$/m, '')
			.split('\n')
			.map((line, number) => {
				const tabs = Math.floor(/^ */.exec(line)[0].length / 4);
				for (const segment of mappings[number] ?? [])
					segment[0] = Math.max(0, segment[0] - 3 * tabs);
				return '\t'.repeat(tabs) + line.slice(4 * tabs);
			});
		await fs.writeFile(script, lines.join('\n'));
		await fs.writeFile(`${script}.map`, JSON.stringify({ ...map, mappings: encode(mappings) }));
	}
}

/** Icons, codex files and output previews. Without `encoding: false` gulp 5 corrupts binary files. */
async function copyStaticFiles() {
	const files = ['nodes/**/*.{svg,png,json}', 'credentials/**/*.{svg,png}'];
	await pipeline(src(files, { base: '.', encoding: false }), dest(staging));
}

exports.default = async function build() {
	try {
		await compile();
		await tidy();
		await copyStaticFiles();
		await fs.rm(target, { recursive: true, force: true });
		await fs.rename(staging, target);
	} finally {
		await fs.rm(staging, { recursive: true, force: true });
	}
};
