/** The named parts of the OpenAPI document: schemas, error answers and events. */
import { extendZodWithOpenApi, type OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { cloneDeepWith, has, isEqual, isPlainObject, mapValues, omit } from 'lodash';
import { z } from 'zod';

import { eventEnvelopeSchema, eventKinds } from '../../nodes/BusinessMessaging/api/events';
import {
	endpoints,
	templateComponentSchema,
	templateParameterSchema,
} from '../../nodes/BusinessMessaging/api/endpoints';
import * as answers from '../answers';
import { errorSchema } from '../errors';

extendZodWithOpenApi(z);

const named: Record<string, z.ZodTypeAny> = {
	Contact: answers.contactSchema,
	ContactPage: answers.pageSchema(answers.contactSchema),
	Conversation: answers.conversationSchema,
	ConversationPage: answers.pageSchema(answers.conversationSchema),
	CreateContact: endpoints.createContact.body,
	CreateTemplate: endpoints.createTemplate.body,
	CreateWebhook: endpoints.createWebhook.body,
	Error: errorSchema,
	Message: answers.messageSchema,
	SendTemplate: endpoints.sendTemplate.body,
	SendText: endpoints.sendText.body,
	Template: answers.templateSchema,
	TemplateComponent: templateComponentSchema,
	TemplatePage: answers.pageSchema(answers.templateSchema),
	TemplateParameter: templateParameterSchema,
	Token: answers.tokenSchema,
	UpdateContact: endpoints.updateContact.body,
	UpdateTemplate: endpoints.updateTemplate.body,
	Webhook: answers.webhookSchema,
	WebhookPage: answers.pageSchema(answers.webhookSchema),
};

/** The error answers by status. */
export const errorAnswers = {
	400: { name: 'BadRequest', description: 'The body is not valid JSON' },
	401: { name: 'Unauthorized', description: 'The API key is missing or not valid' },
	404: { name: 'NotFound', description: 'There is no such record' },
	409: {
		name: 'Conflict',
		description:
			'There is already such a record, or the idempotency key stands for another message',
	},
	413: { name: 'TooLarge', description: 'The body is too large' },
	415: { name: 'UnsupportedMediaType', description: 'The body is not JSON' },
	422: { name: 'Invalid', description: 'A field is missing or wrong; the answer names it' },
	429: { name: 'RateLimited', description: 'The key has used up its requests for now' },
} as const;
export type ErrorStatus = keyof typeof errorAnswers;

const retryAfter = {
	description: 'Seconds until the next request may succeed',
	schema: { type: 'integer' as const },
};

/** Registers every named part except the paths. */
export function registerComponents(registry: OpenAPIRegistry): void {
	registry.registerComponent('securitySchemes', 'apiKey', {
		type: 'http',
		scheme: 'bearer',
		description: 'Secret API key: `Authorization: Bearer <API key>`',
	});
	for (const [name, schema] of Object.entries(named)) registry.register(name, schema);
	for (const { value, description, data } of eventKinds) {
		const envelope = eventEnvelopeSchema.extend({ event: z.literal(value), data });
		registry.register(eventNameOf(value), envelope.describe(description));
	}
	for (const [status, { name, description }] of Object.entries(errorAnswers)) {
		const headers = status === '429' ? { 'Retry-After': retryAfter } : undefined;
		const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
		registry.registerComponent('responses', name, {
			description,
			...(headers && { headers }),
			content,
		});
	}
}

/** The schema name of a kind of event, e.g. MessageReceivedEvent. */
export function eventNameOf(kind: string): string {
	const words = kind.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
	return `${words.join('')}Event`;
}

/** A query has no null, but a number read from text (`z.coerce`) seems to the generator to accept one. */
export function withoutNullParameters<T>(document: T): T {
	return cloneDeepWith(document, (value: unknown) => {
		const isParameter = isPlainObject(value) && has(value, 'in') && has(value, 'schema.nullable');
		return isParameter ? omit(value as object, 'schema.nullable') : undefined;
	}) as T;
}

/**
 * Every object lets unknown fields through. OpenAPI takes that for granted, but the makers of clients do not: unless it
 * is said, their types refuse what the contract does not name.
 */
export function withOpenObjects<T>(document: T): T {
	return cloneDeepWith(document, (value: unknown) => {
		const isObject =
			isPlainObject(value) &&
			(value as { type?: unknown }).type === 'object' &&
			!has(value, 'additionalProperties');
		return isObject
			? { ...mapValues(value as object, withOpenObjects), additionalProperties: true }
			: undefined;
	}) as T;
}

/**
 * Puts a reference in the place of every schema that equals a named one. The contract's schemas know nothing of
 * OpenAPI, so the generator writes them out wherever they are used.
 */
export function shareSchemas<T>(document: T, shared: Record<string, unknown>): T {
	const visit = (value: unknown, isNamed = false): unknown => {
		const name = isNamed
			? undefined
			: Object.keys(shared).find((key) => isEqual(shared[key], value));
		if (name) return { $ref: `#/components/schemas/${name}` };
		if (Array.isArray(value)) return value.map((entry) => visit(entry));
		return isPlainObject(value)
			? mapValues(value as object, (entry, key) => visit(entry, entry === shared[key]))
			: value;
	};
	return visit(document) as T;
}
