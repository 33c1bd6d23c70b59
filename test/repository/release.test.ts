/** `npm run release` in a copy of the repository: from the placeholders to the tag and the checks of publish.yml. */
import { execFileSync } from 'node:child_process';
import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { root } from '../support/files';

let copy: string;

function run(command: string, ...options: string[]): string {
	const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
	return execFileSync(command, options, { cwd: copy, encoding: 'utf8', stdio: 'pipe', env }).trim();
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

/** Writes a change into the changelog, as whoever makes it does. */
function note(change: string): void {
	const file = path.join(copy, 'CHANGELOG.md');
	writeFileSync(
		file,
		read('CHANGELOG.md').replace('## [Unreleased]\n', `## [Unreleased]\n\n${change}\n`),
	);
	commitAll(change);
}

beforeAll(() => {
	copy = mkdtempSync(path.join(tmpdir(), 'release-'));
	const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
	const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0');
	for (const file of files.filter((name) => name && existsSync(path.join(root, name))))
		cpSync(path.join(root, file), path.join(copy, file), { recursive: true });
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

	note('- Prettier icons');
	release('prerelease');
	expect(release('check', 'v0.1.1-next.0')).toContain('everything agrees');
	expect(release('notes')).toBe('- Prettier icons');

	release('patch');
	expect(release('check', 'v0.1.1')).toContain('everything agrees');
	expect(release('notes')).toBe('- Prettier icons');
	expect([versionIn('package.json'), versionIn('package-lock.json')]).toEqual(['0.1.1', '0.1.1']);
	expect(existsSync(path.join(copy, 'test/compat/saved/0.1.1.json'))).toBe(true);
	expect(existsSync(path.join(copy, 'test/compat/saved/0.1.1-next.0.json'))).toBe(false);
	expect(git('tag').split('\n')).toEqual(['v0.1.0', 'v0.1.1', 'v0.1.1-next.0']);
	expect(() => release('check', 'v0.2.0')).toThrow('The tag is v0.2.0, package.json has 0.1.1.');
}, 180_000);
