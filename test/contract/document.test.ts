/** docs/openapi.json, for people and for generators of clients. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import { createConfig, lint } from '@redocly/openapi-core';

import { endpoints, type Endpoint } from '../../nodes/BusinessMessaging/api/endpoints';
import { buildOpenApiDocument } from '../../sandbox/openapi';
import { readText, root } from '../support/files';

const file = path.join(root, 'docs', 'openapi.json');
const document = JSON.parse(readText('docs/openapi.json')) as {
	paths: Record<string, Record<string, { operationId: string; servers?: Array<{ url: string }> }>>;
};

test('is the one that the contract gives (npm run docs writes it)', () => {
	expect(document).toEqual(JSON.parse(JSON.stringify(buildOpenApiDocument())));
});

test('has an operation for every endpoint and method, with the server of an API path that alone lists it', () => {
	for (const [name, { path: route, methods }] of Object.entries<Endpoint>(endpoints)) {
		for (const method of new Set(Object.values(methods))) {
			const operation = document.paths[route.replace(':id', '{id}')]?.[method.toLowerCase()];
			const isApiV1 = methods['/v1'] !== method;
			expect(operation?.operationId).toBe(isApiV1 ? `${name}OnApiV1` : name);
			const inBoth = methods['/api/v1'] === methods['/v1'];
			const server = `http://127.0.0.1:4010${isApiV1 ? '/api' : ''}`;
			expect(operation?.servers?.map(({ url }) => url)).toEqual(inBoth ? undefined : [server]);
		}
	}
});

test('breaks none of the rules that Redocly recommends', async () => {
	const config = await createConfig({ extends: ['recommended'] });
	const problems = await lint({ ref: file, config });
	expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test('gives a client whose types fit what callers write', async () => {
	const run = async (tool: string, ...options: string[]) =>
		await promisify(execFile)(path.join(root, 'node_modules', '.bin', tool), options).catch(
			({ stdout, stderr }: { stdout: string; stderr: string }) => {
				throw new Error(`${tool} fails:\n${stdout}${stderr}`);
			},
		);
	const client = path.join(__dirname, 'client');
	await run('openapi-typescript', file, '--output', path.join(client, 'generated.d.ts'));
	await run('tsc', '--project', client);
}, 180_000);
