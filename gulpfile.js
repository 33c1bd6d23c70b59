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

/** One file for each source. n8n loads them with `require`, so both nodes share what a module keeps, e.g. the rate of a key. */
async function compile() {
	const command = ['-p', 'tsconfig.build.json', '--outDir', staging];
	await execa('tsc', command, { preferLocal: true }).catch((error) => {
		throw new Error(`The nodes do not compile:\n${error.stdout || error.message}`);
	});
}

/** In `(0, lodash_1.pick)(…)`, the compiler calls what is imported without `this`, which nothing here reads. */
const wrapped = /(?<!\w)\(0, (\w+_\d\.\w+)\)(?=\()/g;

/** A semicolon at the end of a line, unless the next line could continue this one. */
const needless = /;(?=\n(?![([`+*/.,-]))/g;

/** What the compiler puts before the first line of a source; the last group exports its functions. */
const beginning =
	/^.*\n(Object\.defineProperty.*\n)?(exports\..* = void 0;\n)?((?:exports\.\w+ = \w+;\n)*)/;

/**
 * The files are not indented and quote as their sources do, do not name their source maps, which stay here, do not export `undefined`
 * before the value, which only circular imports could see, export functions in one line, call imports plainly, carry no mark for
 * default imports, of which there are none, end lines without a semicolon, and pass on exports without the compiler's helper: six per cent
 * of the package. Files that contain only types are left out, as nothing imports them.
 */
async function tidy() {
	const files = await fs.readdir(staging, { recursive: true });
	for (const file of files.filter((name) => name.endsWith('.js'))) {
		const script = path.join(staging, file);
		const map = JSON.parse(await fs.readFile(`${script}.map`, 'utf8'));
		const mappings = decode(map.mappings);
		const text = await fs.readFile(script, 'utf8');
		// A file of types only has the three lines that every file has.
		if (text.split('\n').length <= 3) {
			await Promise.all([script, `${script}.map`].map((name) => fs.rm(name)));
			continue;
		}
		const passedOn = [...text.matchAll(/^__exportStar\(require\("(.*)"\), exports\);$/gm)];
		if (passedOn.length > 0) {
			const lines = passedOn.map(([, name]) => `Object.assign(exports, require('${name}'))\n`);
			await fs.writeFile(script, `'use strict'\n${lines.join('')}`);
			await fs.rm(`${script}.map`);
			continue;
		}
		const [head, , , functions] = beginning.exec(text);
		const names = functions.split('\n').flatMap((line) => /\w+(?=;)/.exec(line) ?? []);
		const exported = names.length > 0 ? `Object.assign(exports, { ${names.join(', ')} });\n` : '';
		mappings.splice(1, head.split('\n').length - 2, ...(exported ? [[]] : []));
		const lines = `'use strict';\n${exported}${text.slice(head.length)}`
			.replace(/\n\/\/# sourceMappingURL=.*$/, '\n')
			.replace(/^const \w+ = require\("[^"]*"\);$/gm, (line) => line.replaceAll('"', "'"))
			.split('\n')
			.map((line, number) => {
				const indent = /^ */.exec(line)[0].length;
				const removed = [...line.matchAll(wrapped)].flatMap(({ 0: { length }, index }) =>
					[0, 1, 2, 3, length - 1].map((column) => index + column),
				);
				for (const segment of mappings[number] ?? []) {
					const before = removed.filter((column) => column < segment[0]);
					segment[0] = Math.max(0, segment[0] - indent - before.length);
				}
				return line.slice(indent).replace(wrapped, '$1');
			});
		await fs.writeFile(script, lines.join('\n').replace(needless, ''));
		await fs.writeFile(`${script}.map`, JSON.stringify({ ...map, mappings: encode(mappings) }));
	}
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
		await tidy();
		await copyStaticFiles();
		await fs.rm(target, { recursive: true, force: true });
		await fs.rename(staging, target);
	} finally {
		await fs.rm(staging, { recursive: true, force: true });
	}
};
