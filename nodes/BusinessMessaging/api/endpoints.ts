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

/** One row of the endpoint table. */
export interface Endpoint {
	/** What it does, in a few words. */
	summary: string;
	/** Path with the `/v1` that both API paths end with; `:id` stands for the identifier of the addressed record. */
	path: string;
	/** The method under each API path that lists the endpoint. */
	methods: Partial<Record<ApiPath, HttpMethod>>;
	/** Whether a call whose fate is unknown may be made again without doing anything twice. */
	idempotent: boolean;
	query?: z.AnyZodObject;
	/** Whether `limit` and `page` are specified; elsewhere only `page` is tried, and only for further pages. */
	documentsPaging?: boolean;
	body?: z.ZodTypeAny;
	response: z.ZodTypeAny;
	/** HTTP status of success in the sandbox (assumption: the specification shows none). */
	status: 200 | 201 | 204;
}

/** An endpoint as it is called under one API path. */
export interface Route {
	method: HttpMethod;
	path: string;
	/** Whether the specification lists the endpoint under this API path. */
	listed: boolean;
}

const onBoth = <M extends HttpMethod>(method: M) => ({ '/api/v1': method, '/v1': method });
const onV1 = <M extends HttpMethod>(method: M) => ({ '/v1': method });

/** All endpoints by name, in the order of the specification's table. */
export const endpoints = {
	createToken: {
		summary: 'Create an API token',
		path: '/v1/auth/token',
		methods: onV1('POST'),
		idempotent: false,
		body: schemas.createTokenBodySchema,
		response: schemas.tokenSchema,
		status: 201,
	},
	getCurrentAccount: {
		summary: 'Identify the caller of the presented key',
		path: '/v1/auth/me',
		methods: onBoth('GET'),
		idempotent: true,
		response: schemas.accountSchema,
		status: 200,
	},
	sendText: {
		summary: 'Send a free-text message',
		path: '/v1/messages/send',
		methods: onBoth('POST'),
		idempotent: false,
		body: schemas.sendTextBodySchema,
		response: schemas.messageSchema,
		status: 201,
	},
	sendTemplate: {
		summary: 'Send a template message',
		path: '/v1/messages/template',
		methods: onBoth('POST'),
		idempotent: false,
		body: schemas.sendTemplateBodySchema,
		response: schemas.messageSchema,
		status: 201,
	},
	listConversations: {
		summary: 'List conversations',
		path: '/v1/conversations',
		methods: onBoth('GET'),
		idempotent: true,
		query: schemas.pageQuerySchema,
		response: schemas.pageSchema(schemas.conversationSchema),
		status: 200,
	},
	listContacts: {
		summary: 'List contacts',
		path: '/v1/contacts',
		methods: onBoth('GET'),
		idempotent: true,
		query: schemas.listContactsQuerySchema,
		documentsPaging: true,
		response: schemas.pageSchema(schemas.contactSchema),
		status: 200,
	},
	createContact: {
		summary: 'Create a contact',
		path: '/v1/contacts',
		methods: onBoth('POST'),
		idempotent: false,
		body: schemas.createContactBodySchema,
		response: schemas.contactSchema,
		status: 201,
	},
	updateContact: {
		summary: 'Update a contact',
		path: '/v1/contacts/:id',
		methods: { '/api/v1': 'PATCH', '/v1': 'PUT' },
		idempotent: true, // also as PATCH: it sets fields to given values
		body: schemas.updateContactBodySchema,
		response: schemas.contactSchema,
		status: 200,
	},
	listTemplates: {
		summary: 'List templates',
		path: '/v1/templates',
		methods: onBoth('GET'),
		idempotent: true,
		query: schemas.pageQuerySchema,
		response: schemas.pageSchema(schemas.templateSchema),
		status: 200,
	},
	createTemplate: {
		summary: 'Create a template',
		path: '/v1/templates',
		methods: onV1('POST'),
		idempotent: false,
		body: schemas.createTemplateBodySchema,
		response: schemas.templateSchema,
		status: 201,
	},
	updateTemplate: {
		summary: 'Update a template',
		path: '/v1/templates/:id',
		methods: onV1('PUT'),
		idempotent: true,
		body: schemas.updateTemplateBodySchema,
		response: schemas.templateSchema,
		status: 200,
	},
	createWebhook: {
		summary: 'Register a webhook',
		path: '/v1/webhooks',
		methods: onV1('POST'),
		idempotent: false,
		body: schemas.createWebhookBodySchema,
		response: schemas.webhookSchema,
		status: 201,
	},
	listWebhooks: {
		summary: 'List webhooks',
		path: '/v1/webhooks',
		methods: onBoth('GET'),
		idempotent: true,
		query: schemas.pageQuerySchema,
		response: schemas.pageSchema(schemas.webhookSchema),
		status: 200,
	},
	deleteWebhook: {
		summary: 'Remove a webhook',
		path: '/v1/webhooks/:id',
		methods: onV1('DELETE'),
		idempotent: true,
		response: schemas.emptySchema,
		status: 204,
	},
	getMessageStatistics: {
		summary: 'Read analytics of messages',
		path: '/v1/analytics/messages',
		methods: onBoth('GET'),
		idempotent: true,
		query: schemas.openQuerySchema,
		response: schemas.analyticsSchema,
		status: 200,
	},
	getCampaignStatistics: {
		summary: 'Read analytics of campaigns',
		path: '/v1/analytics/campaigns',
		methods: onV1('GET'),
		idempotent: true,
		query: schemas.openQuerySchema,
		response: schemas.analyticsSchema,
		status: 200,
	},
	getAgentStatistics: {
		summary: 'Read analytics of agents',
		path: '/v1/analytics/agents',
		methods: onBoth('GET'),
		idempotent: true,
		query: schemas.openQuerySchema,
		response: schemas.analyticsSchema,
		status: 200,
	},
} satisfies Record<string, Endpoint>;

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
 * How an endpoint is called under an API path. One that is not listed there is called as the other API path lists it.
 *
 * @returns the whole path, with `:id` still in it
 */
export function routeOf(endpoint: Endpoint, apiPath: ApiPath): Route {
	const method = endpoint.methods[apiPath] ?? endpoint.methods['/v1'] ?? 'GET';
	const prefix = apiPath === '/api/v1' ? '/api' : '';
	return {
		method,
		path: `${prefix}${endpoint.path}`,
		listed: endpoint.methods[apiPath] !== undefined,
	};
}
