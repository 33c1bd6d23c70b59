/** docs/openapi.json, with which people compare the API of their service. */
import path from 'node:path';

import { createConfig, lint } from '@redocly/openapi-core';
import { endpoints, type EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import { buildOpenApiDocument } from '../../../sandbox/openapi';
import { routes } from '../../../sandbox/routes';
import { readText, root } from '../../../harness/engine/files';
import { closeAll, declaredStatuses, openSandbox } from '../sandbox/support';

afterEach(closeAll);

const file = path.join(root, 'docs', 'openapi.json');

test('is up to date (npm run docs writes it)', () => {
	const built = JSON.parse(JSON.stringify(buildOpenApiDocument())) as unknown;
	expect(JSON.parse(readText('docs/openapi.json'))).toEqual(built);
});

const ofOneRecord = (Object.keys(endpoints) as EndpointName[]).filter((name) =>
	endpoints[name].path.includes(':id'),
);

test.each(ofOneRecord)('%s refuses an unknown ID with 404', async (endpoint) => {
	const { state } = (await openSandbox()).sandbox;
	const call = {
		state,
		key: state.keys.all[0],
		id: 'unknown',
		body: {},
		query: {},
		replaces: false,
	};
	let { status }: { status: number } = routes[endpoint];
	try {
		routes[endpoint].handle(call as never); // each endpoint has another type of body
	} catch (error) {
		({ status } = error as { status: number });
	}
	const handler = { endpoint, file: 'sandbox/routes/index.ts' };
	expect({ ...handler, status }).toEqual({ ...handler, status: 404 });
	const row = { endpoint, file: 'errorAnswers in sandbox/openapi.ts' };
	for (const statuses of declaredStatuses(endpoint))
		expect({ ...row, statuses }).toEqual({ ...row, statuses: expect.arrayContaining(['404']) });
});

test('keeps the rules that Redocly recommends', async () => {
	const config = await createConfig({ extends: ['recommended'] });
	const problems = await lint({ ref: file, config });
	expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});
