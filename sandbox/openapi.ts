/** The OpenAPI 3.0 document, generated from the endpoint table and the schemas of the contract. */
import {
	extendZodWithOpenApi,
	OpenApiGeneratorV3,
	OpenAPIRegistry,
	type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import {
	defaults,
	findKey,
	groupBy,
	has,
	isEmpty,
	isEqual,
	isPlainObject,
	mapKeys,
	mapValues,
	omit,
	pickBy,
	upperFirst,
} from 'lodash';
import { z } from 'zod';

import {
	endpoints,
	templateComponentSchema,
	templateParameterSchema,
	type Endpoint,
	type EndpointName,
	type ApiPath,
} from '../nodes/BusinessMessaging/api/endpoints';
import { eventEnvelopeSchema, eventKinds } from '../nodes/BusinessMessaging/api/events';
import { errorSchema } from './errorResponses';
import { routes } from './routes';
import * as schemas from './schemas';

extendZodWithOpenApi(z);

const listed = {
	Contact: schemas.contactSchema,
	Conversation: schemas.conversationSchema,
	Template: schemas.templateSchema,
	Webhook: schemas.webhookSchema,
};
const bodies = mapValues(endpoints, (endpoint: Endpoint) => endpoint.body);

/** The schemas that have a name in the document. The schema of a request body has the name of its endpoint. */
const named: Record<string, z.ZodTypeAny> = {
	...listed,
	...mapKeys(mapValues(listed, schemas.pageSchema), (_, name) => `${name}Page`),
	...mapKeys(pickBy(bodies), (_, name) => upperFirst(name)),
	Error: errorSchema,
	Message: schemas.messageSchema,
	TemplateComponent: templateComponentSchema,
	TemplateParameter: templateParameterSchema,
	Token: schemas.tokenSchema,
};

const hasFields = (query: z.AnyZodObject | undefined) => !isEmpty(query?.shape);

type IsPossible = (endpoint: Endpoint) => boolean;
const hasBody: IsPossible = ({ body }) => body !== undefined;
const refersToRecord: IsPossible = ({ path }) => /:id|template$/.test(path);
const mayConflict: IsPossible = ({ path, methods, body }) =>
	(methods['/v1'] === 'POST' && /contacts|templates/.test(path)) ||
	(body !== undefined && path.includes(':id'));
const isChecked: IsPossible = ({ query, body }) => body !== undefined || hasFields(query);

/** The error responses: status, name, description, and which endpoints have them. */
const errorAnswers: Array<[number, string, string, IsPossible]> = [
	[400, 'BadRequest', 'The body is not valid JSON', hasBody],
	[401, 'Unauthorized', 'The API key is missing or not valid', () => true],
	[404, 'NotFound', 'There is no such record', refersToRecord],
	[409, 'Conflict', 'There is already such a record', mayConflict],
	[413, 'TooLarge', 'The body is too large', hasBody],
	[415, 'UnsupportedMediaType', 'The body is not JSON', hasBody],
	[422, 'Invalid', 'A field is missing or wrong; the response names it', isChecked],
	[429, 'RateLimited', 'The key has used up its requests for now', () => true],
];

const retryAfter = {
	description: 'Seconds until the next request may succeed',
	schema: { type: 'integer' as const },
};

function registerComponents(registry: OpenAPIRegistry): void {
	registry.registerComponent('securitySchemes', 'apiKey', {
		type: 'http',
		scheme: 'bearer',
		description: 'Secret API key: `Authorization: Bearer <API key>`',
	});
	for (const [name, schema] of Object.entries(named)) registry.register(name, schema);
	for (const { value, description } of eventKinds) {
		const isReceipt = value !== 'message.received';
		const data = isReceipt ? schemas.receiptEventSchema : schemas.receivedEventSchema;
		const envelope = eventEnvelopeSchema.extend({ event: z.literal(value), data });
		registry.register(eventNameOf(value), envelope.describe(description));
	}
	for (const [status, name, description] of errorAnswers) {
		registry.registerComponent('responses', name, {
			description,
			...(status === 429 && { headers: { 'Retry-After': retryAfter } }),
			content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
		});
	}
}

/** The schema name of a kind of event, e.g. MessageReceivedEvent. */
function eventNameOf(kind: string): string {
	return `${kind.split('.').map(upperFirst).join('')}Event`;
}

/** The groups of operations, by the first part of their path. */
const tags: Record<string, { name: string; description: string }> = {
	analytics: { name: 'Analytics', description: 'Figures of messages, campaigns and agents' },
	auth: { name: 'Account', description: 'API keys and their owner' },
	contacts: { name: 'Contacts', description: 'People, grouped in segments' },
	conversations: { name: 'Conversations', description: 'What was written with a person' },
	messages: { name: 'Messages', description: 'Free text and templates to a phone number' },
	templates: { name: 'Templates', description: 'Texts that the channel operator approves' },
	webhooks: { name: 'Webhooks', description: 'Receivers of real-time events' },
};

type Servers = Record<ApiPath, { url: string; description: string }>;

/** An OpenAPI 3.0 document as an object. */
export type OpenApiDocument = ReturnType<OpenApiGeneratorV3['generateDocument']>;

const description = [
	'Sends messages over a chat messaging channel, manages contacts, templates and webhooks, and reads analytics.',
	'The service has two API paths and they list different endpoints: `{host}/api/v1/…` and',
	'`{host}/v1/…`. An operation that only one of them lists names its server.',
	'1,000 requests per minute are allowed. What the specification does not show is an assumption of this document.',
].join('\n');

/** Builds the document. @param origin where the service is, e.g. `http://127.0.0.1:4010` */
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

/** Registers the operations of an endpoint: one, or two if the API paths use different methods. */
function registerOperations(registry: OpenAPIRegistry, name: EndpointName, servers: Servers): void {
	const endpoint: Endpoint = endpoints[name];
	const listing = Object.keys(endpoint.methods) as ApiPath[];
	const byMethod = groupBy(listing, (apiPath) => endpoint.methods[apiPath]);
	for (const [method, apiPaths] of Object.entries(byMethod)) {
		registry.registerPath({
			...describe(name, endpoint, apiPaths),
			...(apiPaths.length === 1 && { servers: apiPaths.map((apiPath) => servers[apiPath]) }),
			method: method.toLowerCase() as RouteConfig['method'],
			path: endpoint.path.replace(':id', '{id}'),
			request: requestOf(endpoint),
			responses: responsesOf(endpoint, routes[name]),
			...(name === 'createWebhook' && { callbacks: eventCallbacks() }),
		});
	}
}

function describe(name: EndpointName, endpoint: Endpoint, apiPaths: ApiPath[]) {
	const { summary } = routes[name];
	const where = apiPaths.length === 2 ? 'both API paths' : `API path ${apiPaths[0]} only`;
	const isVariant = !apiPaths.includes('/v1') && endpoint.methods['/v1'] !== undefined;
	const tag = tags[endpoint.path.split('/')[2] ?? ''];
	return {
		operationId: isVariant ? `${name}OnApiV1` : name,
		summary,
		description: `${summary}. Listed in ${where}.`,
		tags: tag ? [tag.name] : [],
	};
}

function requestOf({ path, query, body }: Endpoint): RouteConfig['request'] {
	return {
		...(path.includes(':id') && { params: z.object({ id: schemas.idSchema }) }),
		...(hasFields(query) && { query }),
		...(body && { body: { ...json(body), required: !body.safeParse({}).success } }),
	};
}

const json = (schema: z.ZodTypeAny) => ({ content: { 'application/json': { schema } } });

function responsesOf(
	endpoint: Endpoint,
	{ status, response }: (typeof routes)[EndpointName],
): RouteConfig['responses'] {
	const success = { description: 'Success', ...json(response) };
	const errors = errorAnswers
		.filter(([, , , isPossible]) => isPossible(endpoint))
		.map(([code, name]) => [code, { $ref: `#/components/responses/${name}` }] as const);
	return {
		[status]: status === 204 ? { description: 'Done' } : success,
		...Object.fromEntries(errors),
	};
}

/** OpenAPI 3.0 has no webhooks, so events are described as callbacks of the call that registers the receiver. */
function eventCallbacks(): RouteConfig['callbacks'] {
	const entries = eventKinds.map(({ value, description }) => {
		const schema = { $ref: `#/components/schemas/${eventNameOf(value)}` };
		const post = {
			operationId: `receive${eventNameOf(value)}`,
			summary: description,
			description: `${description}. Delivered to the registered address.`,
			tags: ['Webhooks'],
			security: [],
			requestBody: { required: true, content: { 'application/json': { schema } } },
			responses: {
				200: { description: 'The receiver has handled the event' },
				400: { description: 'The receiver does not understand the event; it is delivered again' },
			},
		};
		return [value, { '{$request.body#/url}': { post } }];
	});
	return Object.fromEntries(entries) as RouteConfig['callbacks'];
}

/**
 * Corrects the output of the generator: it writes shared schemas out, which become references, and does not say that
 * objects allow unknown fields, as client generators need it. `z.coerce` seems to accept null, which no query contains.
 */
function finish<T>(document: T, shared: Record<string, unknown>): T {
	const visit = (value: unknown, isNamed = false): unknown => {
		if (Array.isArray(value)) return value.map((entry) => visit(entry));
		if (!isPlainObject(value)) return value;
		const name = isNamed ? undefined : findKey(shared, (schema) => isEqual(schema, value));
		if (name) return { $ref: `#/components/schemas/${name}` };
		const fields = mapValues(value as Record<string, unknown>, (entry, key) =>
			visit(entry, entry === shared[key]),
		);
		if (fields.type === 'object') return defaults(fields, { additionalProperties: true });
		return has(fields, 'in') ? omit(fields, 'schema.nullable') : fields;
	};
	return visit(document) as T;
}
