/** One row for each endpoint. If one is missing, this does not compile. */
import { z } from 'zod';

import type { EndpointName, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { describeKey, type ApiKey } from '../auth';
import { invalid, parse } from '../errorResponses';
import {
	contactSchema,
	conversationSchema,
	messageSchema,
	openSchema,
	pageOf,
	pageSchema,
	templateSchema,
	tokenSchema,
	webhookSchema,
} from '../schemas';
import type { State } from '../state';
import type { ContactFields } from '../state/contacts';
import { Analytics } from '../state/conversations';
import type { Message } from '../state/messages';
import type { Template } from '../state/templates';
import { renderTemplate } from './renderTemplate';

type Table = typeof endpoints;
type Part<Name extends EndpointName, Key extends string> =
	Table[Name] extends Record<Key, infer Schema extends z.ZodTypeAny> ? z.output<Schema> : undefined;

/** A call that has passed authorization, the rate limit and the schemas of the contract. */
interface Call<Name extends EndpointName> {
	state: State;
	/** The API key of the call. */
	key: ApiKey;
	/** ID in the path; empty if the path has none. */
	id: string;
	body: Part<Name, 'body'>;
	query: Part<Name, 'query'>;
	/** Whether an update empties the fields that it does not contain. */
	replaces: boolean;
}

/** What an endpoint does, its successful HTTP status (assumption), the schema of its response, and its handler. */
interface Route<Name extends EndpointName> {
	summary: string;
	status: 200 | 201 | 204;
	response: z.ZodTypeAny;
	/** @throws HttpError, e.g. 404 if there is no such record */
	handle: (call: Call<Name>) => unknown;
}

function route<Name extends EndpointName, T extends z.ZodTypeAny>(
	summary: string,
	status: Route<Name>['status'],
	response: T,
	handle: (call: Call<Name>) => z.input<T>,
): Route<Name> {
	return { summary, status, response, handle };
}

const tokenFieldsSchema = z.object({ name: z.string().min(1).default('Unnamed key') });
/** The greatest length of a message, characters (assumption). */
const maxTextLength = 4096;
/** The segments of a contact (assumption). */
const segmentsSchema = z.object({ segments: z.array(z.string().min(1)).optional() }).passthrough();

/** All endpoints by name, for the sandbox and the OpenAPI document. */
export const routes: { [Name in EndpointName]: Route<Name> } = {
	createToken: route('Create an API token', 201, tokenSchema, ({ state, body }) => {
		const key = state.keys.create(parse(tokenFieldsSchema, body).name);
		return { token: key.secret, ...describeKey(key) };
	}),
	getCurrentAccount: route(
		'Identify the caller of the presented key',
		200,
		openSchema,
		({ key }) => ({
			id: 'acc_sandbox',
			name: 'Sandbox account',
			sandbox: true,
			key: describeKey(key),
		}),
	),

	sendText: route('Send a free-text message', 201, messageSchema, (call) => {
		const { text } = call.body;
		if (text.length > maxTextLength)
			throw invalid('text', `must have at most ${maxTextLength} characters`);
		refuseOutsideWindow(call);
		return send(call, { text });
	}),
	sendTemplate: route('Send a template message', 201, messageSchema, (call) => {
		const { template, language } = call.body;
		const approved = call.state.templates.findApproved(template, language);
		return send(call, renderTemplate(approved, call.body));
	}),
	listConversations: route(
		'List conversations',
		200,
		pageSchema(conversationSchema),
		({ state, query }) => pageOf(state.conversations.all, query, state.settings),
	),

	listContacts: route('List contacts', 200, pageSchema(contactSchema), ({ state, query }) =>
		pageOf(state.contacts.inSegment(query.segment), query, state.settings),
	),
	createContact: route('Create a contact', 201, contactSchema, ({ state, body }) =>
		state.contacts.create(withSegments(body)),
	),
	updateContact: route('Update a contact', 200, contactSchema, ({ state, id, body, replaces }) =>
		state.contacts.update(id, withSegments(body), replaces),
	),

	listTemplates: route('List templates', 200, pageSchema(templateSchema), ({ state, query }) =>
		pageOf(state.templates.all, query, state.settings),
	),
	createTemplate: route('Create a template', 201, templateSchema, ({ state, body }) =>
		pending(state, state.templates.create(body, 'PENDING')),
	),
	updateTemplate: route('Update a template', 200, templateSchema, ({ state, id, body }) =>
		pending(state, state.templates.update(id, body)),
	),

	createWebhook: route('Register a webhook', 201, webhookSchema, ({ state, body }) =>
		state.webhooks.create(body),
	),
	listWebhooks: route('List webhooks', 200, pageSchema(webhookSchema), ({ state, query }) =>
		pageOf(state.webhooks.all, query, state.settings),
	),
	deleteWebhook: route('Remove a webhook', 204, openSchema, ({ state, id }) =>
		state.webhooks.delete(id),
	),

	getMessageStatistics: route(
		'Read analytics of messages',
		200,
		openSchema,
		({ state, query }) => new Analytics(state.messages.all, query).overall,
	),
	getCampaignStatistics: route(
		'Read analytics of campaigns',
		200,
		openSchema,
		({ state, query }) => ({
			data: new Analytics(state.messages.all, query).campaigns,
		}),
	),
	getAgentStatistics: route('Read analytics of agents', 200, openSchema, ({ state, query }) => {
		const figures = new Analytics(state.messages.all, query);
		return { data: state.keys.all.map(({ id, name }) => ({ id, name, ...figures.agentOf(id) })) };
	}),
};

function withSegments<T extends ContactFields>(body: T): T {
	return { ...body, ...parse(segmentsSchema, body) };
}

function pending(state: State, template: Template): Template {
	state.awaitApproval(template);
	return template;
}

/** As in messaging channels: a text can be sent only to somebody who has written lately, a template to anybody. */
function refuseOutsideWindow({ state, body }: Call<'sendText'>): void {
	const { textWindowMs } = state.settings;
	const written = state.messages.withCustomer(body.to).findLast(isInbound);
	const isOpen = written && Date.now() - Date.parse(written.createdAt) < textWindowMs;
	if (textWindowMs === 0 || isOpen) return;
	const hours = Math.round(textWindowMs / 360_000) / 10;
	throw invalid('to', `has not written in the last ${hours} h, so only a template can be sent`);
}

const isInbound = ({ direction }: Message) => direction === 'inbound';

type Send = Call<'sendText'> | Call<'sendTemplate'>;

function send(call: Send, content: Pick<Message, 'text' | 'template'>) {
	const { state, body, key } = call;
	const { traffic } = state;
	const { id, phone, status, createdAt } = traffic.send({
		...content,
		phone: body.to,
		keyId: key.id,
	});
	return { id, to: phone, status, timestamp: createdAt };
}
