/** n8n's own tool for node packages, as its authors use it: on a folder that holds only what is shipped, with n8n's default configuration. */
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { isEqual, pick, union } from 'lodash';

import { UserError } from '../harness/cli';
import { filesBelow } from '../harness/engine/files';
import { installPackages } from '../harness/n8n/install';
import { PROJECT_FOLDER } from '../harness/n8n/packProject';
import { runCommand } from '../harness/processes';

const VERSION = '0.48.3';
/** What the nodes need to compile, in the versions of this project. */
const NEEDED = [
	...[
		'@types/lodash',
		'@types/luxon',
		'@types/node',
		'lodash',
		'luxon',
		'n8n-workflow',
		'typescript',
		'zod',
	],
];
const SHIPPED = ['credentials', 'nodes', 'tsconfig.json', 'LICENSE', 'README.md'];
const LIMIT = 300_000;

/**
 * Runs `n8n-node lint` in strict mode, and `n8n-node build`, whose result must be what `npm run build` has put into dist.
 *
 * @throws UserError with what the tool says, or the files that differ
 */
export async function tryN8nNode(): Promise<void> {
	const manifest = JSON.parse(
		await readFile(path.join(PROJECT_FOLDER, 'package.json'), 'utf8'),
	) as {
		devDependencies: Record<string, string>;
		n8n: object;
	};
	const modules = await installPackages('n8n-node', {
		'@n8n/node-cli': VERSION,
		...pick(manifest.devDependencies, NEEDED),
	});
	const folder = path.join(modules, '..', `package-${process.pid}`);
	try {
		await mkdir(folder);
		for (const name of SHIPPED)
			await cp(path.join(PROJECT_FOLDER, name), path.join(folder, name), { recursive: true });
		const strict = { ...manifest, n8n: { ...manifest.n8n, strict: true } };
		await writeFile(path.join(folder, 'package.json'), JSON.stringify(strict, null, '\t'));
		const cli = path.join(modules, '@n8n', 'node-cli');
		const config = 'dist/template/templates/shared/default/eslint.config.mjs';
		await cp(path.join(cli, config), path.join(folder, 'eslint.config.mjs'));
		await symlink(modules, path.join(folder, 'node_modules'));
		for (const command of ['lint', 'build'])
			await runCommand(process.execPath, [path.join(cli, 'bin', 'n8n-node.mjs'), command], {
				cwd: folder,
				env: { npm_config_user_agent: 'npm' },
				limit: LIMIT,
			});
		await compareBuilds(path.join(folder, 'dist'));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Compares a build with that of `npm run build`, except for source maps, which are not shipped. */
async function compareBuilds(other: string): Promise<void> {
	const own = path.join(PROJECT_FOLDER, 'dist');
	const namesIn = (folder: string) =>
		filesBelow(folder)
			.map((file) => path.relative(folder, path.resolve(PROJECT_FOLDER, file)))
			.filter((name) => !name.endsWith('.map'));
	const different: string[] = [];
	for (const name of union(namesIn(own), namesIn(other)).sort()) {
		const read = async (folder: string) =>
			await readFile(path.join(folder, name), 'utf8').catch(() => undefined);
		if (!isSame(name, await read(own), await read(other))) different.push(name);
	}
	if (different.length > 0)
		throw new UserError(`\`n8n-node build\` builds other files: ${different.join(', ')}`);
}

function isSame(name: string, own: string | undefined, other: string | undefined): boolean {
	if (own === undefined || other === undefined) return false;
	// Our build leaves out the spaces in JSON.
	return name.endsWith('.json') ? isEqual(JSON.parse(own), JSON.parse(other)) : own === other;
}
