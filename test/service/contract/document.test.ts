/** docs/openapi.json, for people and for generators of clients. */
import path from 'node:path';

import { createConfig, lint } from '@redocly/openapi-core';
import execa from 'execa';

import { buildOpenApiDocument } from '../../../sandbox/openapi';
import { readText, root } from '../../../harness/engine/files';

const file = path.join(root, 'docs', 'openapi.json');

test('is up to date (npm run docs writes it)', () => {
	const built = JSON.parse(JSON.stringify(buildOpenApiDocument())) as unknown;
	expect(JSON.parse(readText('docs/openapi.json'))).toEqual(built);
});

test('keeps the rules that Redocly recommends', async () => {
	const config = await createConfig({ extends: ['recommended'] });
	const problems = await lint({ ref: file, config });
	expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test('gives a client whose types fit what callers write', async () => {
	const client = path.join(__dirname, 'client');
	const generated = path.join(client, 'generated.d.ts');
	const options = { preferLocal: true, localDir: root };
	await execa('openapi-typescript', [file, '--output', generated], options);
	await execa('tsc', ['--project', client], { ...options, all: true });
}, 180_000);
