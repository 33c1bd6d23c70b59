/**
 * The endpoint table of the specification in code: one entry for each of its 17 rows. The nodes call it, the sandbox
 * mounts it, and the OpenAPI document is generated from it.
 */
import type { z } from 'zod';

import * as schemas from './schemas';

/** The two API paths of the specification: `{host}/api/v1/…` and `{host}/v1/…`. */
export const apiPaths = ['/api/v1', '/v1'] as const;
export type ApiPath = (typeof apiPaths)[number];

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a request carries beside its path. */
interface Parts {
	query?: z.AnyZodObject;
	body?: z.AnyZodObject;
	/** Whether `limit` and `page` are specified; elsewhere only `page` is tried, and only for further pages. */
	documentsPaging?: boolean;
}

/** One row of the endpoint table. */
export interface Endpoint extends Parts {
	/** Path with the `/v1` that both API paths end with; `:id` stands for the identifier of the addressed record. */
	path: string;
	/** The method under each API path that lists the endpoint. */
	methods: Partial<Record<ApiPath, HttpMethod>>;
	/** Whether a call whose fate is unknown may be made again without doing anything twice. */
	idempotent: boolean;
}

const both = (method: HttpMethod) => ({ '/api/v1': method, '/v1': method });
const onV1 = (method: HttpMethod) => ({ '/v1': method });

/** A row. PATCH is idempotent here too: it sets fields to given values. */
function row<const P extends Parts = object>(
	path: string,
	methods: Endpoint['methods'],
	parts?: P,
) {
	return { path, methods, idempotent: methods['/v1'] !== 'POST', ...(parts as P) };
}

const { openSchema, pageQuerySchema } = schemas;

/** All endpoints by name, in the order of the specification's table. */
export const endpoints = {
	createToken: row('/v1/auth/token', onV1('POST'), { body: openSchema }),
	getCurrentAccount: row('/v1/auth/me', both('GET')),
	sendText: row('/v1/messages/send', both('POST'), { body: schemas.sendTextBodySchema }),
	sendTemplate: row('/v1/messages/template', both('POST'), {
		body: schemas.sendTemplateBodySchema,
	}),
	listConversations: row('/v1/conversations', both('GET'), { query: pageQuerySchema }),
	listContacts: row('/v1/contacts', both('GET'), {
		query: schemas.listContactsQuerySchema,
		documentsPaging: true,
	}),
	createContact: row('/v1/contacts', both('POST'), { body: schemas.createContactBodySchema }),
	updateContact: row(
		'/v1/contacts/:id',
		{ '/api/v1': 'PATCH', '/v1': 'PUT' },
		{ body: schemas.updateContactBodySchema },
	),
	listTemplates: row('/v1/templates', both('GET'), { query: pageQuerySchema }),
	createTemplate: row('/v1/templates', onV1('POST'), { body: schemas.createTemplateBodySchema }),
	updateTemplate: row('/v1/templates/:id', onV1('PUT'), {
		body: schemas.updateTemplateBodySchema,
	}),
	createWebhook: row('/v1/webhooks', onV1('POST'), { body: schemas.createWebhookBodySchema }),
	listWebhooks: row('/v1/webhooks', both('GET'), { query: pageQuerySchema }),
	deleteWebhook: row('/v1/webhooks/:id', onV1('DELETE')),
	getMessageStatistics: row('/v1/analytics/messages', both('GET'), { query: openSchema }),
	getCampaignStatistics: row('/v1/analytics/campaigns', onV1('GET'), { query: openSchema }),
	getAgentStatistics: row('/v1/analytics/agents', both('GET'), { query: openSchema }),
};

/** The name of an endpoint, e.g. `sendText`. */
export type EndpointName = keyof typeof endpoints;

/** Where the end of a path is not the name of what it gives. */
const otherNames: Record<string, string> = { send: 'message', template: 'message', me: 'account' };

/** What one record of an endpoint is called, e.g. `contact`. */
export function recordName({ path }: Endpoint): string {
	const last = path.replace('/:id', '').split('/').at(-1) ?? '';
	return otherNames[last] ?? last.replace(/s$/, '');
}

/**
 * How an endpoint is called under an API path, the path with `:id` still in it. One that is not listed there is called as
 * the other API path lists it.
 */
export function routeOf({ path, methods }: Endpoint, apiPath: ApiPath) {
	const listed = methods[apiPath];
	return {
		method: listed ?? methods['/v1'] ?? 'GET',
		path: apiPath === '/api/v1' ? `/api${path}` : path,
		listed: listed !== undefined,
	};
}
