/**
 * Responses and events, for the sandbox and the OpenAPI document; the nodes read them without a schema. Only fields
 * that the specification names, or that are marked "assumption".
 */
import { z } from 'zod';

import type { Settings } from './options';

/** Any object: the specification shows no fields. */
export const openSchema = z.object({}).passthrough();

/** The ID of a record. The specification shows strings; numbers are accepted too (assumption). */
export const idSchema = z
	.union([z.string().min(1), z.number()])
	.describe('Identifier of the record');

/** The response to a sent message: `id` is specified for text messages; the rest is an assumption. */
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

/** A conversation; the specification shows none of its fields. */
export const conversationSchema = z.object({ id: idSchema.optional() }).passthrough();

/** A registered webhook: `url` and `events` are assumptions. */
export const webhookSchema = z
	.object({
		id: idSchema.optional(),
		url: z.string().nullish(),
		events: z.array(z.string()).nullish(),
	})
	.passthrough();

/** Payload of `message.received`: `from` and `text` are specified, `id` and `timestamp` are assumptions. */
export const receivedEventSchema = z
	.object({
		from: z.string().describe('Phone number of the sender'),
		text: z.string().optional().describe('Text of the message'),
		id: z.string().optional(),
		timestamp: z.string().optional(),
	})
	.passthrough();

/** Payload of a delivery receipt. Assumption: `id` is the ID in the response to the send. */
export const receiptEventSchema = z
	.object({
		id: z.string().describe('Identifier of the message that was sent'),
		to: z.string().optional(),
		status: z.string().optional(),
		timestamp: z.string().optional(),
	})
	.passthrough();

/** A new API key. The name of its field is an assumption. */
export const tokenSchema = z.object({ token: z.string().optional() }).passthrough();

/** A page of records: `data` is specified for contacts, an assumption elsewhere; the metadata is an assumption. */
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

/** A page and its metadata (assumption: the specification shows only `data`). */
export type Page<T> = { data: T[]; page: number; limit: number; total: number };

/** Cuts a page out of a list. Pages count from 1; page 0 is the first page too; a `limit` above the maximum is reduced (assumptions). */
export function pageOf<T>(
	list: readonly T[],
	query: { page?: number; limit?: number },
	settings: Settings,
): Page<T> {
	const limit = Math.min(query.limit ?? settings.defaultPageSize, settings.pageSizeCap);
	const page = Math.max(query.page ?? 1, 1);
	const start = (page - 1) * limit;
	return { data: list.slice(start, start + limit), page, limit, total: list.length };
}
