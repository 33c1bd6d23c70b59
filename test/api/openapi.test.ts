import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { endpoints, type Endpoint } from '../../nodes/BusinessMessaging/api/endpoints';
import { buildOpenApiDocument } from '../../sandbox/openapi';

const document = JSON.parse(JSON.stringify(buildOpenApiDocument())) as {
	paths: Record<string, Record<string, { operationId: string; servers?: Array<{ url: string }> }>>;
};

describe('the OpenAPI document', () => {
	it('in docs/openapi.json is the one that the contract gives (npm run openapi writes it)', () => {
		const written: unknown = JSON.parse(
			readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8'),
		);
		expect(written).toEqual(document);
	});

	it('has an operation for every endpoint and method, with the server of an API path that alone lists it', () => {
		for (const [name, { path, methods }] of Object.entries(endpoints) as Array<
			[string, Endpoint]
		>) {
			const operations = document.paths[path.replace(':id', '{id}')];
			for (const method of new Set(Object.values(methods))) {
				const operation = operations?.[method.toLowerCase()];
				const isApiV1 = methods['/v1'] !== method;
				expect(operation?.operationId).toBe(isApiV1 ? `${name}OnApiV1` : name);
				const inBoth = methods['/api/v1'] === methods['/v1'];
				const server = `http://127.0.0.1:4010${isApiV1 ? '/api' : ''}`;
				expect(operation?.servers?.map(({ url }) => url)).toEqual(inBoth ? undefined : [server]);
			}
		}
	});
});
