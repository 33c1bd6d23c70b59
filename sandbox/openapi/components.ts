/** The named parts of the OpenAPI document: schemas, error answers and events. */
import { extendZodWithOpenApi, type OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import {
	defaults,
	findKey,
	has,
	isEqual,
	isPlainObject,
	mapValues,
	omit,
	upperFirst,
} from 'lodash';
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
	for (const { value, description } of eventKinds) {
		const isReceipt = value !== 'message.received';
		const data = isReceipt ? answers.receiptEventSchema : answers.receivedEventSchema;
		const envelope = eventEnvelopeSchema.extend({ event: z.literal(value), data });
		registry.register(eventNameOf(value), envelope.describe(description));
	}
	for (const [status, { name, description }] of Object.entries(errorAnswers)) {
		registry.registerComponent('responses', name, {
			description,
			...(status === '429' && { headers: { 'Retry-After': retryAfter } }),
			content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
		});
	}
}

/** The schema name of a kind of event, e.g. MessageReceivedEvent. */
export function eventNameOf(kind: string): string {
	return `${kind.split('.').map(upperFirst).join('')}Event`;
}

/**
 * What the generator leaves to do. The contract's schemas know nothing of OpenAPI, so it writes them out wherever they are
 * used: every one that equals a named one becomes a reference. Every object lets unknown fields through: OpenAPI takes that
 * for granted, but the types that generators of clients make refuse them unless it is said. A query has no null, but a
 * number read from text (`z.coerce`) seems to accept one.
 */
export function finish<T>(document: T, shared: Record<string, unknown>): T {
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
