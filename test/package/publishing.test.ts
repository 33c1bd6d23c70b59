/** What publishing rests on: workflows, versions that agree, and the tarball that users install. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';

import { versionFaults } from '../../scripts/changelog';
import { savedVersions } from '../compat/saved/fixtures';
import { filesBelow, root } from '../support/build';

const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
	version: string;
	scripts: Record<string, string>;
	n8n: { nodes: string[]; credentials: string[] };
};
const workflows = filesBelow('.github/workflows').map((name) => ({ name, text: read(name) }));

describe('workflows', () => {
	test('use actions by the full hash of a commit, with its version beside it', () => {
		const uses = workflows.flatMap(({ text }) => text.match(/^.*\buses:.*$/gm) ?? []);
		expect(uses.length).toBeGreaterThan(0);
		expect(
			uses.filter((line) => !/uses: [\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
		).toEqual([]);
	});

	test('call scripts that are there', () => {
		const called = workflows.flatMap(({ text }) =>
			[...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, script]) => script),
		);
		expect(called.filter((script) => !(script in manifest.scripts))).toEqual([]);
	});

	test('nothing but the publishing job may ask for an identity, and no job holds a token for npm', () => {
		const mayPublish = workflows.flatMap(({ name, text }) =>
			Object.entries(
				(parse(text) as { jobs: Record<string, { permissions?: Record<string, string> }> }).jobs,
			)
				.filter(([, { permissions }]) => permissions?.['id-token'])
				.map(([job]) => `${name} ${job}`),
		);
		expect(mayPublish).toEqual(['.github/workflows/publish.yml publish']);
		expect(
			workflows.filter(({ text }) => /secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN/.test(text)),
		).toEqual([]);
	});
});

describe('versions', () => {
	const changelog =
		'# Changelog\n\n## [Unreleased]\n\n### Added\n\n- B\n\n## [1.0.0] - 2030-01-31\n\n- A\n';
	const [version, lockVersion] = ['1.0.0', '1.0.0'];
	const agree = { changelog, version, lockVersion, savedVersions: ['1.0.0'], tag: 'v1.0.0' };
	const next = { version: '1.1.0', lockVersion: '1.1.0', savedVersions: ['1.1.0'], tag: 'v1.1.0' };
	const changed = (from: string, to: string) => ({ changelog: changelog.replace(from, to) });
	const older = { changelog: `${changelog}\n## [0.9.0] - 2030-02-01\n\n- Z\n` };

	test('those of this commit agree', () => {
		const lock = JSON.parse(read('package-lock.json')) as { version: string };
		expect(
			versionFaults({
				changelog: read('CHANGELOG.md'),
				version: manifest.version,
				lockVersion: lock.version,
				savedVersions: savedVersions(),
			}),
		).toEqual([]);
	});

	test.each([
		[{ tag: 'v1.0.1' }, 'The tag is v1.0.1, package.json has 1.0.0'],
		[{ tag: '1.0.0' }, 'The tag is 1.0.0'],
		[{ lockVersion: '0.9.0' }, 'package-lock.json has version 0.9.0'],
		[next, 'The newest release in CHANGELOG.md is 1.0.0, package.json has 1.1.0'],
		[{ savedVersions: ['0.9.0'] }, 'There is no test/compat/saved/1.0.0.json'],
		[changed('2030-01-31', 'soon'), 'is not of the form'],
		[changed('- A', ''), 'CHANGELOG.md says nothing about 1.0.0'],
		[older, 'not in the order of their dates'],
		[changed('## [Unreleased]', '## Next'), 'The first section of CHANGELOG.md is "## Next"'],
		[{ changelog: '# Changelog\n\n## [Unreleased]\n' }, 'CHANGELOG.md says nothing about 1.0.0'],
	])('%j is found', (change, fault) => {
		expect(versionFaults(agree)).toEqual([]);
		expect(versionFaults({ ...agree, ...change })).toContainEqual(expect.stringContaining(fault));
	});
});

test('the tarball holds what runs and what is shown, brings no dependencies, and is small', () => {
	const options = { cwd: root, encoding: 'utf8', stdio: 'pipe' } as const;
	const output = execFileSync('npm', ['pack', '--dry-run', '--json'], options);
	const [packed] = JSON.parse(output) as [{ files: Array<{ path: string }>; size: number }];
	const paths = packed.files.map((file) => file.path);
	const shipped = /^dist\/(nodes|credentials)\/.+\.(js|json|svg|png)$/;
	expect(paths.filter((file) => !shipped.test(file)).sort()).toEqual([
		'LICENSE',
		'README.md',
		'package.json',
	]);
	const { nodes, credentials } = manifest.n8n;
	const codices = nodes.map((file) => `${file}on`);
	expect(paths).toEqual(expect.arrayContaining([...nodes, ...credentials, ...codices]));
	expect(paths.filter((file) => file.endsWith('.svg')).length).toBeGreaterThanOrEqual(2);
	expect(manifest).not.toHaveProperty('dependencies');
	expect(packed.size).toBeLessThanOrEqual(150_000);
});
