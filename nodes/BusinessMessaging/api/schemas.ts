/**
 * What requests hold, as zod schemas. Only fields that the specification names (or that are marked "assumption") appear
 * here, and every object lets further fields through untouched.
 */
import { z } from 'zod';

/** Anything: the specification shows no field. */
export const openSchema = z.object({}).passthrough();

/** A phone number in E.164: `+`, a country code, 7 to 15 digits in all. Source: specification, "Resources and their fields". */
export const phoneSchema = z
	.string()
	.regex(/^\+[1-9]\d{6,14}$/, 'Must be a phone number in international format, e.g. +15551234567')
	.describe('Phone number in international format with a leading +');

/** One parameter of a template component. Source: specification, "Template message components". */
export const templateParameterSchema = z
	.object({ type: z.string().min(1), text: z.string().optional() })
	.passthrough()
	.describe('Value of one variable of the template');

/** One component of a template message: `body` is specified, `header` and others are an assumption. */
export const templateComponentSchema = z
	.object({ type: z.string().min(1), parameters: z.array(templateParameterSchema).optional() })
	.passthrough()
	.describe('Values for one part of the template');

/** Body of POST /v1/messages/send. Source: specification, endpoint table. */
export const sendTextBodySchema = z
	.object({ to: phoneSchema, text: z.string().min(1).describe('Text of the message') })
	.passthrough();

/** Body of POST /v1/messages/template. Source: specification, endpoint table. */
export const sendTemplateBodySchema = z
	.object({
		to: phoneSchema,
		template: z.string().min(1).describe('Name of the template'),
		language: z.string().min(1).describe('Locale code of the form xx_XX'),
		components: z.array(templateComponentSchema).optional(),
		headerDocumentUrl: z
			.string()
			.url()
			.optional()
			.describe('Public URL of a PDF, for a utility template whose header is a document'),
	})
	.passthrough();

/** Body of POST /v1/contacts. Assumption: the fields of a contact. */
export const createContactBodySchema = z
	.object({ phone: phoneSchema, name: z.string().optional() })
	.passthrough();

/** Body of PATCH or PUT /v1/contacts/:id. Assumption: the fields that change. */
export const updateContactBodySchema = createContactBodySchema.partial().passthrough();

/** Body of POST /v1/templates. Assumption. */
export const createTemplateBodySchema = z
	.object({
		name: z.string().min(1),
		language: z.string().min(1),
		category: z.string().optional(),
		components: z.array(z.object({ type: z.string() }).passthrough()).optional(),
	})
	.passthrough();

/** Body of PUT /v1/templates/:id. Assumption: the fields that change. */
export const updateTemplateBodySchema = createTemplateBodySchema.partial().passthrough();

/** Body of POST /v1/webhooks. Assumption. */
export const createWebhookBodySchema = z
	.object({
		url: z.string().url().describe('Address that events are delivered to'),
		events: z.array(z.string().min(1)).min(1).optional().describe('Kinds of event to deliver'),
	})
	.passthrough();

/** Paging by page number, as the contact listing documents it; for other listings an assumption. */
export const pageQuerySchema = z
	.object({
		limit: z.coerce.number().int().min(1).optional().describe('Page size'),
		page: z.coerce.number().int().min(0).optional().describe('Page number'),
	})
	.passthrough();

/** Query of GET /v1/contacts. Source: specification, endpoint table. */
export const listContactsQuerySchema = pageQuerySchema
	.extend({ segment: z.string().optional().describe('Only contacts of this segment') })
	.passthrough();
