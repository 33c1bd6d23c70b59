/** A release in a copy of the project, and the tarball that it publishes. */
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
import { root } from '../../harness/engine/files';
import { runCommand } from '../../harness/processes';
import { packFolder } from '../../harness/n8n/packProject';

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
	expect(statSync(tarball).size).toBeLessThanOrEqual(220_000);
	rmSync(folder, { recursive: true });
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
