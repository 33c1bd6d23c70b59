/** What publishing rests on: workflows, the forms of GitHub, and versions that agree. */
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

test.each(filesBelow('.github/ISSUE_TEMPLATE').filter((name) => !name.endsWith('config.yml')))(
	'%s is a form',
	(name) => {
		const form = parse(read(name)) as {
			name?: string;
			description?: string;
			body: Array<{ type: string; id?: string; attributes?: { label?: string } }>;
		};
		const asked = form.body.filter(({ type }) => type !== 'markdown');
		expect([typeof form.name, typeof form.description]).toEqual(['string', 'string']);
		expect(asked.filter(({ id, attributes }) => !id || !attributes?.label)).toEqual([]);
		expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length);
		expect(
			form.body.filter(
				({ type }) => !['checkboxes', 'dropdown', 'input', 'markdown', 'textarea'].includes(type),
			),
		).toEqual([]);
	},
);

describe('versions', () => {
	const changelog =
		'# Changelog\n\n## [Unreleased]\n\n### Added\n\n- B\n\n## [1.0.0] - 2030-01-31\n\n- A\n';
	const agree = {
		changelog,
		version: '1.0.0',
		lockVersion: '1.0.0',
		savedVersions: ['1.0.0'],
		tag: 'v1.0.0',
	};

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
		[
			{ version: '1.1.0', lockVersion: '1.1.0', savedVersions: ['1.0.0', '1.1.0'], tag: 'v1.1.0' },
			'The newest release in CHANGELOG.md is 1.0.0, package.json has 1.1.0',
		],
		[{ savedVersions: ['0.9.0'] }, 'There is no test/compat/saved/1.0.0.json'],
		[{ changelog: changelog.replace('2030-01-31', 'soon') }, 'is not of the form'],
		[{ changelog: changelog.replace('- A', '') }, 'CHANGELOG.md says nothing about 1.0.0'],
		[
			{ changelog: `${changelog}\n## [0.9.0] - 2030-02-01\n\n- Z\n` },
			'not in the order of their dates',
		],
		[
			{ changelog: changelog.replace('## [Unreleased]', '## Next') },
			'The first section of CHANGELOG.md is "## Next"',
		],
		[{ changelog: '# Changelog\n\n## [Unreleased]\n' }, 'CHANGELOG.md says nothing about 1.0.0'],
	])('%j is found', (change, fault) => {
		expect(versionFaults(agree)).toEqual([]);
		expect(versionFaults({ ...agree, ...change })).toContainEqual(expect.stringContaining(fault));
	});
});
