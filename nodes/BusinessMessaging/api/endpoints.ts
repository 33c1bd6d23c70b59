/** The endpoint table of the specification, for the nodes, the sandbox and the OpenAPI document. */
import { z } from 'zod';

/** The two API paths of the specification: `{host}/api/v1/…` and `{host}/v1/…`. */
export const apiPaths = ['/api/v1', '/v1'] as const;
export type ApiPath = (typeof apiPaths)[number];

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Query and body of a request. */
interface RequestSchemas {
	query?: z.AnyZodObject;
	body?: z.AnyZodObject;
	/** Whether `limit` and `page` are specified. For other endpoints, only `page` is tried, from the second page on. */
	documentsPaging?: boolean;
}

/** One row of the endpoint table. */
export interface Endpoint extends RequestSchemas {
	/** Path with the `/v1` that both API paths end with; `:id` is replaced by the ID of a record. */
	path: string;
	/** The method under each API path that lists the endpoint. */
	methods: Partial<Record<ApiPath, HttpMethod>>;
	/** Whether a call may be repeated although the first one may have taken effect. */
	idempotent: boolean;
}

const both = (method: HttpMethod) => ({ '/api/v1': method, '/v1': method });
const onV1 = (method: HttpMethod) => ({ '/v1': method });

/** A row. PATCH is idempotent here too: it sets fields to given values. */
function row<const P extends RequestSchemas = object>(
	path: string,
	methods: Endpoint['methods'],
	parts?: P,
) {
	return { path, methods, idempotent: methods['/v1'] !== 'POST', ...(parts as P) };
}

/** Fields, and any others that the user adds. */
function fields<S extends z.ZodRawShape>(shape: S) {
	return z.object(shape).passthrough();
}

/** A phone number in E.164: `+`, a country code, 7 to 15 digits in all. Source: specification, "Resources and their fields". */
export const phoneSchema = z
	.string()
	.regex(
		/^\+[1-9]\d{6,14}$/,
		'it must be a phone number in international format, e.g. +15551234567',
	)
	.describe('Phone number in international format with a leading +');

const urlSchema = z
	.string()
	.url('it must be a public address that begins with https:// or http://');

/** One parameter of a template component. Source: specification, "Template message components". */
export const templateParameterSchema = fields({
	type: z.string().min(1),
	text: z.string().optional(),
}).describe('Value of one variable of the template');

/** One component of a template message: `body` is specified, `header` and others are an assumption. */
export const templateComponentSchema = fields({
	type: z.string().min(1),
	parameters: z.array(templateParameterSchema).optional(),
}).describe('Values for one part of the template');

const contactFields = fields({ phone: phoneSchema, name: z.string().optional() });

const templateFields = fields({
	name: z.string().min(1),
	language: z.string().min(1),
	category: z.string().optional(),
	components: z.array(fields({ type: z.string() })).optional(),
});

/** Paging by page number, as the contact listing documents it; for other listings an assumption. */
const pageQuery = fields({
	limit: z.coerce.number().int().min(1).optional().describe('Page size'),
	page: z.coerce.number().int().min(0).optional().describe('Page number'),
});

const periodQuery = fields({
	from: z.string().optional().describe('Only statistics from this time or later, ISO 8601'),
	to: z.string().optional().describe('Only statistics before this time, ISO 8601'),
});

/** All endpoints by name. The bodies of messages and the query of contacts are specified, all others are assumptions. */
export const endpoints = {
	createToken: row('/v1/auth/token', onV1('POST'), {
		body: fields({ name: z.string().optional() }),
	}),
	getCurrentAccount: row('/v1/auth/me', both('GET')),
	sendText: row('/v1/messages/send', both('POST'), {
		body: fields({ to: phoneSchema, text: z.string().min(1).describe('Text of the message') }),
	}),
	sendTemplate: row('/v1/messages/template', both('POST'), {
		body: fields({
			to: phoneSchema,
			template: z.string().min(1).describe('Name of the template'),
			language: z.string().min(1).describe('Locale code of the form xx_XX'),
			components: z.array(templateComponentSchema).optional(),
			headerDocumentUrl: urlSchema
				.optional()
				.describe('Public URL of a PDF, for a utility template whose header is a document'),
		}),
	}),
	listConversations: row('/v1/conversations', both('GET'), { query: pageQuery }),
	listContacts: row('/v1/contacts', both('GET'), {
		query: pageQuery.extend({
			segment: z.string().optional().describe('Only contacts of this segment'),
		}),
		documentsPaging: true,
	}),
	createContact: row('/v1/contacts', both('POST'), { body: contactFields }),
	updateContact: row(
		'/v1/contacts/:id',
		{ '/api/v1': 'PATCH', '/v1': 'PUT' },
		{ body: contactFields.partial() },
	),
	listTemplates: row('/v1/templates', both('GET'), { query: pageQuery }),
	createTemplate: row('/v1/templates', onV1('POST'), { body: templateFields }),
	updateTemplate: row('/v1/templates/:id', onV1('PUT'), { body: templateFields.partial() }),
	createWebhook: row('/v1/webhooks', onV1('POST'), {
		body: fields({
			url: urlSchema.describe('The URL that receives events'),
			events: z.array(z.string().min(1)).min(1).optional().describe('Kinds of event to deliver'),
		}),
	}),
	listWebhooks: row('/v1/webhooks', both('GET'), { query: pageQuery }),
	deleteWebhook: row('/v1/webhooks/:id', onV1('DELETE')),
	getMessageStatistics: row('/v1/analytics/messages', both('GET'), { query: periodQuery }),
	getCampaignStatistics: row('/v1/analytics/campaigns', onV1('GET'), { query: periodQuery }),
	getAgentStatistics: row('/v1/analytics/agents', both('GET'), { query: periodQuery }),
};

/** The name of an endpoint, e.g. `sendText`. */
export type EndpointName = keyof typeof endpoints;

/** The records of paths that do not end with their name. */
const otherNames: Record<string, string> = { send: 'message', template: 'message', me: 'account' };

/** What one record of an endpoint is called, e.g. `contact`. */
export function recordName({ path }: Endpoint): string {
	const last = path.replace('/:id', '').split('/').at(-1) ?? '';
	return otherNames[last] ?? last.replace(/s$/, '');
}

/** Method and path of an endpoint under an API path. An endpoint that is not listed there is called as in the other API path. */
export function routeOf({ path, methods }: Endpoint, apiPath: ApiPath) {
	const listed = methods[apiPath];
	return {
		method: listed ?? methods['/v1'] ?? 'GET',
		path: apiPath === '/api/v1' ? `/api${path}` : path,
		listed: listed !== undefined,
	};
}
