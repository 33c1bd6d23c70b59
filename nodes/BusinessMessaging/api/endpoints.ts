/**
 * The endpoint table of the specification in code: one entry for each of its 17 rows. The nodes call it, the sandbox
 * mounts it, and the OpenAPI document is generated from it.
 */
import type { z } from 'zod';

import * as schemas from './schemas';

/** The two address layouts of the specification: `{host}/api/v1/…` and `{host}/v1/…`. */
export const layouts = ['sharedHost', 'dedicatedHost'] as const;
export type Layout = (typeof layouts)[number];

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One row of the endpoint table. */
export interface Endpoint {
	/** What it does, in a few words. */
	summary: string;
	/** Path below the layout's base; `:id` stands for the identifier of the addressed record. */
	path: string;
	/** The method in each layout that lists the endpoint. */
	methods: Partial<Record<Layout, HttpMethod>>;
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

/** An endpoint as it is called in one layout. */
export interface Route {
	method: HttpMethod;
	path: string;
	/** Whether the specification lists the endpoint in this layout. */
	listed: boolean;
}

const inBoth = <M extends HttpMethod>(method: M) => ({ sharedHost: method, dedicatedHost: method });
const inSecond = <M extends HttpMethod>(method: M) => ({ dedicatedHost: method });

/** All endpoints by name, in the order of the specification's table. */
export const endpoints = {
	createToken: {
		summary: 'Create an API token',
		path: '/v1/auth/token',
		methods: inSecond('POST'),
		idempotent: false,
		body: schemas.createTokenBodySchema,
		response: schemas.tokenSchema,
		status: 201,
	},
	getCurrentAccount: {
		summary: 'Identify the caller of the presented key',
		path: '/v1/auth/me',
		methods: inBoth('GET'),
		idempotent: true,
		response: schemas.accountSchema,
		status: 200,
	},
	sendText: {
		summary: 'Send a free-text message',
		path: '/v1/messages/send',
		methods: inBoth('POST'),
		idempotent: false,
		body: schemas.sendTextBodySchema,
		response: schemas.messageSchema,
		status: 201,
	},
	sendTemplate: {
		summary: 'Send a template message',
		path: '/v1/messages/template',
		methods: inBoth('POST'),
		idempotent: false,
		body: schemas.sendTemplateBodySchema,
		response: schemas.messageSchema,
		status: 201,
	},
	listConversations: {
		summary: 'List conversations',
		path: '/v1/conversations',
		methods: inBoth('GET'),
		idempotent: true,
		query: schemas.pageQuerySchema,
		response: schemas.pageSchema(schemas.conversationSchema),
		status: 200,
	},
	listContacts: {
		summary: 'List contacts',
		path: '/v1/contacts',
		methods: inBoth('GET'),
		idempotent: true,
		query: schemas.listContactsQuerySchema,
		documentsPaging: true,
		response: schemas.pageSchema(schemas.contactSchema),
		status: 200,
	},
	createContact: {
		summary: 'Create a contact',
		path: '/v1/contacts',
		methods: inBoth('POST'),
		idempotent: false,
		body: schemas.createContactBodySchema,
		response: schemas.contactSchema,
		status: 201,
	},
	updateContact: {
		summary: 'Update a contact',
		path: '/v1/contacts/:id',
		methods: { sharedHost: 'PATCH', dedicatedHost: 'PUT' },
		idempotent: true, // also as PATCH: it sets fields to given values
		body: schemas.updateContactBodySchema,
		response: schemas.contactSchema,
		status: 200,
	},
	listTemplates: {
		summary: 'List templates',
		path: '/v1/templates',
		methods: inBoth('GET'),
		idempotent: true,
		query: schemas.pageQuerySchema,
		response: schemas.pageSchema(schemas.templateSchema),
		status: 200,
	},
	createTemplate: {
		summary: 'Create a template',
		path: '/v1/templates',
		methods: inSecond('POST'),
		idempotent: false,
		body: schemas.createTemplateBodySchema,
		response: schemas.templateSchema,
		status: 201,
	},
	updateTemplate: {
		summary: 'Update a template',
		path: '/v1/templates/:id',
		methods: inSecond('PUT'),
		idempotent: true,
		body: schemas.updateTemplateBodySchema,
		response: schemas.templateSchema,
		status: 200,
	},
	createWebhook: {
		summary: 'Register a webhook',
		path: '/v1/webhooks',
		methods: inSecond('POST'),
		idempotent: false,
		body: schemas.createWebhookBodySchema,
		response: schemas.webhookSchema,
		status: 201,
	},
	listWebhooks: {
		summary: 'List webhooks',
		path: '/v1/webhooks',
		methods: inBoth('GET'),
		idempotent: true,
		query: schemas.pageQuerySchema,
		response: schemas.pageSchema(schemas.webhookSchema),
		status: 200,
	},
	deleteWebhook: {
		summary: 'Remove a webhook',
		path: '/v1/webhooks/:id',
		methods: inSecond('DELETE'),
		idempotent: true,
		response: schemas.emptySchema,
		status: 204,
	},
	getMessageStatistics: {
		summary: 'Read analytics of messages',
		path: '/v1/analytics/messages',
		methods: inBoth('GET'),
		idempotent: true,
		query: schemas.openQuerySchema,
		response: schemas.analyticsSchema,
		status: 200,
	},
	getCampaignStatistics: {
		summary: 'Read analytics of campaigns',
		path: '/v1/analytics/campaigns',
		methods: inSecond('GET'),
		idempotent: true,
		query: schemas.openQuerySchema,
		response: schemas.analyticsSchema,
		status: 200,
	},
	getAgentStatistics: {
		summary: 'Read analytics of agents',
		path: '/v1/analytics/agents',
		methods: inBoth('GET'),
		idempotent: true,
		query: schemas.openQuerySchema,
		response: schemas.analyticsSchema,
		status: 200,
	},
} satisfies Record<string, Endpoint>;

/** The name of an endpoint, e.g. `sendText`. */
export type EndpointName = keyof typeof endpoints;

/**
 * How an endpoint is called in a layout. One that the layout does not list is called as the other layout lists it.
 *
 * @returns the path including the layout's `/api`, with `:id` still in it
 */
export function routeOf(endpoint: Endpoint, layout: Layout): Route {
	const method = endpoint.methods[layout] ?? endpoint.methods.dedicatedHost ?? 'GET';
	const prefix = layout === 'sharedHost' ? '/api' : '';
	return {
		method,
		path: `${prefix}${endpoint.path}`,
		listed: endpoint.methods[layout] !== undefined,
	};
}
