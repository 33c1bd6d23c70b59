/** The engines on which `npm run test:compat` runs, and the tests that each of them has to pass. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pick from 'lodash/pick';
import { step } from '../../../harness/cli';
import { PROJECT_FOLDER } from '../../../harness/n8n/packProject';
import { CommandError, runCommand } from '../../../harness/processes';

/** A feature that does not work on an engine. */
interface Lack {
	reason: string;
	words: string;
}

/** An engine of n8n, as it is in a release of n8n. */
export interface EngineVersions {
	/** Release of n8n; without a patch number if only the packages that are listed here can be installed. */
	n8n: string;
	/** The versions in the release's package.json (`npm view n8n@X dependencies`), of packages that nodes use. */
	packages: Record<'n8n-core' | 'n8n-workflow' | 'zod' | 'lodash' | 'luxon', string>;
	/** Why the engine is in the list. */
	note: string;
	/** Areas that do not pass completely: the reason, and words that an error must contain. */
	lacks: Record<string, Lack>;
}

/** Rows of the table, each with its test files, below `test` and without `.test.ts`. */
export const areas: Record<string, string[]> = {
	'Credential: test': ['credentials/credential'],
	'Lists to choose from, groups of fields': ['editor/templates', 'editor/lists', 'editor/groups'],
	'Send Template': ['operations/template'],
	'Every operation, one item fails': ['operations/everyOperation'],
	'Retry On Fail, Retry button': ['execution/campaign'],
	'Send Once (tables in memory)': ['execution/sendOnce'],
	'Send and Wait for Response': ['reply/asking'],
	'Trigger: register, remove': ['trigger/lifecycle', 'trigger/addresses'],
	'Trigger: events, strangers': ['trigger/deliveries'],
	'Trigger: Only Run If': ['trigger/filters'],
};

const noSendAndWait: Record<string, Lack> = {
	'Send and Wait for Response': {
		reason: 'it needs n8n 1.107 or newer, and an error says this',
		words: 'requires n8n 1.107 or newer',
	},
};
const noOnlyRunIf: Record<string, Lack> = {
	'Trigger: Only Run If': {
		reason:
			"it needs n8n 2.30 or newer, because in older versions a trigger's expressions cannot read the delivery",
		words: 'An order',
	},
};

type Row = [
	...versions: [string, string, string, string, string, string],
	note: string,
	lacks?: Record<string, Lack>,
];

/** n8n, n8n-core, n8n-workflow, zod, lodash, luxon; newest first. n8n-workflow has no NodeConnectionTypes below 1.83.0 (n8n 1.85). */
const rows: Row[] = [
	['2.41.1', '2.41.1', '2.41.0', '3.25.76', '4.18.1', '3.7.2', 'newest'],
	['2.30.0', '2.30.0', '2.30.0', '3.25.67', '4.18.1', '3.7.2', 'oldest tested with everything'],
	[
		'2.27',
		'2.27.3',
		'2.27.2',
		'3.25.67',
		'4.18.1',
		'3.7.2',
		'newest tested without Only Run If',
		noOnlyRunIf,
	],
	['2.20.0', '2.20.0', '2.20.0', '3.25.67', '4.18.1', '3.7.2', 'half-way through 2.x', noOnlyRunIf],
	[
		'2.0.3',
		'2.0.2',
		'2.0.1',
		'3.25.67',
		'4.17.21',
		'3.4.4',
		'first minor version of 2.x',
		noOnlyRunIf,
	],
	['1.123.81', '1.122.48', '1.120.31', '3.25.67', '4.18.1', '3.4.4', 'last 1.x', noOnlyRunIf],
	[
		...(['1.107', '1.106.2', '1.104.1', '3.25.67', '4.17.21', '3.4.4'] as const),
		'oldest with signed URLs that resume an execution (getSignedResumeUrl)',
		noOnlyRunIf,
	],
	[
		'1.105.4',
		'1.104.3',
		'1.102.2',
		'3.25.67',
		'4.17.21',
		'3.4.4',
		'without them',
		{ ...noSendAndWait, ...noOnlyRunIf },
	],
	[
		'1.85.4',
		'1.84.0',
		'1.83.0',
		'3.24.1',
		'4.17.21',
		'3.4.4',
		'oldest that works',
		{ ...noSendAndWait, ...noOnlyRunIf },
	],
];

export const engines: EngineVersions[] = rows.map(
	([n8n, core, workflow, zod, lodash, luxon, note, lacks = {}]) => ({
		n8n,
		packages: { 'n8n-core': core, 'n8n-workflow': workflow, zod, lodash, luxon },
		note,
		lacks,
	}),
);

/** Versions of zod with which the package has to work, besides those of the engines: the package imports the version that n8n has. */
export const zodVersions = ['3.22.4', '3.25.76', '4.6.7'];

const LOOK_LIMIT = 2 * 60_000;
const RESOLVE_LIMIT = 15 * 60_000;
const enginePackages = ['n8n-core', 'n8n-workflow', 'zod', 'lodash', 'luxon'];

/** A field of a package in the registry of npm. */
async function view<T>(name: string, field: string): Promise<T> {
	const output = await runCommand('npm', ['view', name, field, '--json'], { limit: LOOK_LIMIT });
	return JSON.parse(output) as T;
}

/**
 * Tries releases, from the newest n8n down to the one that is known to work.
 * @returns the engine of the first release that can be installed, or undefined if none is newer; and why the releases
 * tried before cannot be installed
 */
export async function findNewest(
	known: string,
): Promise<{ engine?: EngineVersions; stopped: string[] }> {
	const isNewer = (version: string) => version.localeCompare(known, 'en', { numeric: true }) > 0;
	const versions = (await view<string[]>('n8n', 'versions'))
		.filter((version) => !version.includes('-') && isNewer(version))
		.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
	const stopped: string[] = [];
	for (const version of versions) {
		const reason = await step(`Resolving n8n ${version}`, async () => await whatStops(version));
		if (reason) {
			stopped.push(`n8n ${version} cannot be installed: ${reason}.`);
			continue;
		}
		const all = await view<Record<string, string>>(`n8n@${version}`, 'dependencies');
		const packages = pick(all, enginePackages) as EngineVersions['packages'];
		return { engine: { n8n: version, packages, note: 'newest', lacks: {} }, stopped };
	}
	return { stopped };
}

/** Lets npm resolve all dependencies of an n8n, with the playground's corrections. @returns npm's reason if this fails */
async function whatStops(version: string): Promise<string | undefined> {
	if (!(await view<unknown>(`n8n@${version}`, 'bin'))) return 'it has no program to start';
	const folder = await mkdtemp(path.join(tmpdir(), 'business-messaging-newest-'));
	try {
		const file = path.join(PROJECT_FOLDER, 'playground', 'n8n', 'package.json');
		const manifest = JSON.parse(await readFile(file, 'utf8')) as { dependencies: object };
		const dependencies = { ...manifest.dependencies, n8n: version };
		await writeFile(
			path.join(folder, 'package.json'),
			JSON.stringify({ ...manifest, dependencies }),
		);
		const command = ['install', '--package-lock-only', '--legacy-peer-deps', '--ignore-scripts'];
		await runCommand('npm', command, { cwd: folder, limit: RESOLVE_LIMIT });
		return undefined;
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		const lines = error.output
			.split('\n')
			.map((line) => line.replace(/^npm (error|ERR!) (notarget |404 )?/, ''));
		const reason = lines.find((line) => /No matching version|not in this registry/.test(line));
		return (reason ?? error.message).replace(/\.$/, '');
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
