/**
 * What the service's records look like, as zod schemas.
 *
 * Strict in what we send, tolerant in what we read: only fields that the specification names (or that are marked
 * "assumption") appear here, and every object lets unknown fields through untouched.
 */
import { z } from 'zod';

/** A phone number in E.164: `+`, a country code, 7 to 15 digits in all. Source: specification, "Resources and their fields". */
export const phoneSchema = z
	.string()
	.regex(/^\+[1-9]\d{6,14}$/, 'Must be a phone number in international format, e.g. +15551234567')
	.describe('Phone number in international format with a leading +');

/** The identifier of a record: the specification shows strings; numbers are read as well (assumption). */
export const idSchema = z
	.union([z.string().min(1), z.number()])
	.describe('Identifier of the record');

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

/** What a send answers: `id` is specified for text messages; the rest is an assumption. */
export const messageSchema = z
	.object({ id: idSchema, to: z.string().optional(), status: z.string().optional() })
	.passthrough();

/** A contact: `name` and `phone` are specified, `id` and `segments` are assumptions. */
export const contactSchema = z
	.object({
		id: idSchema.optional(),
		name: z.string().nullish(),
		phone: z.string().nullish(),
		segments: z.array(z.string()).nullish(),
	})
	.passthrough();

/** Body of POST /v1/contacts. Assumption: the fields of a contact. */
export const createContactBodySchema = z
	.object({ phone: phoneSchema, name: z.string().optional() })
	.passthrough();

/** Body of PATCH or PUT /v1/contacts/:id. Assumption: the fields of a contact that shall change. */
export const updateContactBodySchema = z
	.object({ phone: phoneSchema.optional(), name: z.string().optional() })
	.passthrough();

/** A template as it is listed: name and language are specified as a reference, the rest is an assumption. */
export const templateSchema = z
	.object({
		id: idSchema.optional(),
		name: z.string().nullish(),
		language: z.string().nullish(),
		status: z
			.string()
			.nullish()
			.describe('Approval by the channel operator, e.g. PENDING, APPROVED or REJECTED'),
		category: z.string().nullish().describe('e.g. MARKETING, UTILITY or AUTHENTICATION'),
		components: z.array(z.object({ type: z.string() }).passthrough()).nullish(),
	})
	.passthrough();

/** Body of POST /v1/templates. Assumption. */
export const createTemplateBodySchema = z
	.object({
		name: z.string().min(1),
		language: z.string().min(1),
		category: z.string().optional(),
		components: z.array(z.object({ type: z.string() }).passthrough()).optional(),
	})
	.passthrough();

/** Body of PUT /v1/templates/:id. Assumption: the fields that shall change. */
export const updateTemplateBodySchema = createTemplateBodySchema.partial().passthrough();

/** A conversation; the specification shows no field of it. */
export const conversationSchema = z.object({ id: idSchema.optional() }).passthrough();

/** A registered webhook: `url` and `events` are assumptions. */
export const webhookSchema = z
	.object({
		id: idSchema.optional(),
		url: z.string().nullish(),
		events: z.array(z.string()).nullish(),
	})
	.passthrough();

/** Body of POST /v1/webhooks. Assumption. */
export const createWebhookBodySchema = z
	.object({
		url: z.string().url().describe('Address that events are delivered to'),
		events: z.array(z.string().min(1)).min(1).optional().describe('Kinds of event to deliver'),
	})
	.passthrough();

/** The caller of the presented key; the specification shows no field of it. */
export const accountSchema = z.object({}).passthrough();

/** Body of POST /v1/auth/token; the specification shows no field of it. */
export const createTokenBodySchema = z.object({}).passthrough();

/** A newly made key; its field is an assumption. */
export const tokenSchema = z.object({ token: z.string().optional() }).passthrough();

/** Figures of an analytics endpoint; the specification shows no field of them. */
export const analyticsSchema = z.object({}).passthrough();

/** An empty answer, e.g. to DELETE. Assumption. */
export const emptySchema = z.object({}).passthrough();

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

/** Query of an endpoint for which the specification shows none. */
export const openQuerySchema = z.object({}).passthrough();

/**
 * A page of a listing: `data` is specified for contacts, an assumption elsewhere; the metadata is an assumption.
 *
 * @param record schema of one record
 */
export function pageSchema<T extends z.ZodTypeAny>(record: T) {
	return z
		.object({
			data: z.array(record),
			page: z.number().optional(),
			limit: z.number().optional(),
			total: z.number().optional(),
		})
		.passthrough();
}
