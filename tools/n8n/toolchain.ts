import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../cli';
import { CommandError, runCommand } from '../processes';

/** The programs that compile n8n's SQLite driver where no ready-made binary can be downloaded. */
const TOOLS = ['python3', 'make', 'g++'];
/** Set to `false`, nothing is installed into the system. */
const SWITCH = 'PLAYGROUND_INSTALL_COMPILER';

/**
 * Makes sure that native modules can be compiled. On Debian and the like, as root, it installs missing programs, and says
 * so before.
 * @param log file for what apt-get prints
 * @throws UserError saying what to install
 */
export async function ensureCompiler(log: string): Promise<void> {
	let missing = await missingTools();
	const mayInstall = process.getuid?.() === 0 && process.env[SWITCH] !== 'false';
	if (missing.length > 0 && mayInstall && (await exists('apt-get'))) {
		process.stderr.write(
			`\nn8n's SQLite driver has to be compiled here, so ${missing.join(', ')} will be installed with apt-get (set ${SWITCH}=false to prevent that).\n`,
		);
		await aptInstall(missing, log).catch((error: unknown) => {
			// Whatever apt-get could not install is still missing below.
			if (!(error instanceof CommandError)) throw error;
		});
		missing = await missingTools();
	}
	if (missing.length > 0)
		throw new UserError(
			`n8n's SQLite driver has to be compiled here, and ${missing.join(', ')} cannot be found: install them (on Debian or Ubuntu: "sudo apt-get install python3 make g++"; on macOS: "xcode-select --install") and try again.`,
		);
}

/** Installs packages of Debian's, as root. @throws CommandError */
export async function aptInstall(packages: string[], log?: string): Promise<void> {
	const options = { limit: 10 * 60_000, log, env: { DEBIAN_FRONTEND: 'noninteractive' } };
	const install = ['install', '--quiet', '--yes', '--no-install-recommends', ...packages];
	await runCommand('apt-get', ['update', '--quiet'], options);
	await runCommand('apt-get', install, options);
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
