/** docs/openapi.json, with which people compare the API of their service. */
import path from 'node:path';

import { createConfig, lint } from '@redocly/openapi-core';
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
