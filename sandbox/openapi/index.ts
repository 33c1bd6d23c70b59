/** The OpenAPI 3.0 document, generated from the endpoint table and the contract's schemas. */
import { OpenApiGeneratorV3, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';

import { endpoints, type EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { finish, registerComponents } from './components';
import { registerOperations, tags, type Servers } from './operations';

/** An OpenAPI 3.0 document as an object. */
export type OpenApiDocument = ReturnType<OpenApiGeneratorV3['generateDocument']>;

const description = [
	'Sends messages over a chat messaging channel, manages contacts, templates and webhooks, and reads analytics.',
	'The service has two API paths and they list different endpoints: `{host}/api/v1/…` and',
	'`{host}/v1/…`. An operation that only one of them lists names its server.',
	'1,000 requests per minute are allowed. What the specification does not show is an assumption of this document.',
].join('\n');

/**
 * Builds the document.
 *
 * @param origin where the service is, e.g. `http://127.0.0.1:4010`
 */
export function buildOpenApiDocument(origin = 'http://127.0.0.1:4010'): OpenApiDocument {
	const servers: Servers = {
		'/v1': { url: origin, description: 'API path /v1' },
		'/api/v1': { url: `${origin}/api`, description: 'API path /api/v1' },
	};
	const registry = new OpenAPIRegistry();
	registerComponents(registry);
	for (const name of Object.keys(endpoints) as EndpointName[])
		registerOperations(registry, name, servers);
	const document = new OpenApiGeneratorV3(registry.definitions).generateDocument({
		openapi: '3.0.3',
		info: {
			title: 'Business Messaging API',
			version: '1.0.0',
			description,
			license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
			contact: { name: 'Maintainers of n8n-nodes-business-messaging' },
		},
		servers: [servers['/v1'], servers['/api/v1']],
		tags: Object.values(tags).sort((one, other) => one.name.localeCompare(other.name)),
		security: [{ apiKey: [] }],
	});
	return finish(document, document.components?.schemas ?? {});
}
