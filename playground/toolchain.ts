import { existsSync } from 'node:fs';
import path from 'node:path';
import { PlaygroundError } from './playgroundError';
import { CommandError, runCommand } from './runCommand';

/** The programs that compile n8n's SQLite driver where no ready-made binary can be downloaded. */
const TOOLS = ['python3', 'make', 'g++'];

/**
 * Makes sure that native modules can be compiled: on Debian and its kin, as root, missing programs are installed.
 * @param log file for what apt-get prints
 * @throws PlaygroundError saying what to install
 */
export async function ensureCompiler(log: string): Promise<void> {
	let missing = await missingTools();
	if (missing.length > 0 && process.getuid?.() === 0 && (await exists('apt-get'))) {
		await aptInstall(log);
		missing = await missingTools();
	}
	if (missing.length > 0)
		throw new PlaygroundError(
			`n8n's SQLite driver has to be compiled here, and ${missing.join(', ')} cannot be found: ${advice()}.`,
		);
}

/**
 * Settings for node-gyp: the headers that belong to this Node.js, where they are installed, spare a download. The
 * driver is an N-API module, so headers of another major version than n8n's own Node.js will do.
 */
export function compilerEnvironment(): NodeJS.ProcessEnv {
	const prefix = path.resolve(process.execPath, '..', '..');
	const hasHeaders = existsSync(path.join(prefix, 'include', 'node', 'node_api.h'));
	return hasHeaders && !process.env.npm_config_nodedir ? { npm_config_nodedir: prefix } : {};
}

async function missingTools(): Promise<string[]> {
	const found = await Promise.all(TOOLS.map(exists));
	return TOOLS.filter((_, index) => !found[index]);
}

async function exists(program: string): Promise<boolean> {
	return await runCommand('sh', ['-c', 'command -v "$0"', program], { limit: 10_000 }).then(
		() => true,
		() => false,
	);
}

/** A failure shows in the tools that are still missing afterwards. */
async function aptInstall(log: string): Promise<void> {
	const options = { limit: 300_000, log, env: { DEBIAN_FRONTEND: 'noninteractive' } };
	try {
		await runCommand('apt-get', ['update', '--quiet'], options);
		await runCommand(
			'apt-get',
			['install', '--quiet', '--yes', '--no-install-recommends', ...TOOLS],
			options,
		);
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
	}
}

function advice(): string {
	if (process.platform === 'darwin') return 'run "xcode-select --install" and try again';
	return 'install them (on Debian or Ubuntu: "sudo apt-get install python3 make g++") and try again';
}
