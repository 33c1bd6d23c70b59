/** One handler for each endpoint. If one is missing, this does not compile. */
import { z } from 'zod';

import type { EndpointName, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { pageOf, type responses } from '../responses';
import { describeKey, type ApiKey } from '../auth';
import { invalid, notFound, parse } from '../errorResponses';
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
export interface Call<Name extends EndpointName> {
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

/** Each handler does what its endpoint is for; it throws a HttpError if it cannot. */
type Handlers = {
	[Name in EndpointName]: (call: Call<Name>) => z.input<(typeof responses)[Name]['response']>;
};

const tokenFieldsSchema = z.object({ name: z.string().min(1).default('Unnamed key') });
/** The greatest length of a message, characters (assumption). */
const maxTextLength = 4096;
/** The segments of a contact (assumption). */
const segmentsSchema = z.object({ segments: z.array(z.string().min(1)).optional() }).passthrough();

const handlers: Handlers = {
	createToken({ state, body }) {
		const key = state.keys.create(parse(tokenFieldsSchema, body).name);
		return { token: key.secret, ...describeKey(key) };
	},
	getCurrentAccount: ({ key }) => ({
		id: 'acc_sandbox',
		name: 'Sandbox account',
		sandbox: true,
		key: describeKey(key),
	}),

	sendText(call) {
		const { text } = call.body;
		if (text.length > maxTextLength)
			throw invalid('text', `must have at most ${maxTextLength} characters`);
		refuseOutsideWindow(call);
		return send(call, { text });
	},
	sendTemplate(call) {
		const { template, language } = call.body;
		const approved = call.state.templates.findApproved(template, language);
		return send(call, renderTemplate(approved, call.body));
	},
	listConversations: ({ state, query }) => pageOf(state.conversations.all, query, state.settings),

	listContacts: ({ state, query }) =>
		pageOf(state.contacts.inSegment(query.segment), query, state.settings),
	createContact: ({ state, body }) => state.contacts.create(withSegments(body)),
	updateContact: ({ state, id, body, replaces }) =>
		state.contacts.update(id, withSegments(body), replaces),

	listTemplates: ({ state, query }) => pageOf(state.templates.all, query, state.settings),
	createTemplate: ({ state, body }) => pending(state, state.templates.create(body, 'PENDING')),
	updateTemplate: ({ state, id, body }) => pending(state, state.templates.update(id, body)),

	createWebhook: ({ state, body }) => state.webhooks.create(body),
	listWebhooks: ({ state, query }) => pageOf(state.webhooks.all, query, state.settings),
	deleteWebhook({ state, id }) {
		if (!state.webhooks.delete(id)) throw notFound(`There is no webhook ${id}`);
		return {};
	},

	getMessageStatistics: ({ state, query }) => new Analytics(state.messages.all, query).overall,
	getCampaignStatistics: ({ state, query }) => ({
		data: new Analytics(state.messages.all, query).campaigns,
	}),
	getAgentStatistics({ state, query }) {
		const figures = new Analytics(state.messages.all, query);
		return { data: state.keys.all.map(({ id, name }) => ({ id, name, ...figures.agentOf(id) })) };
	},
};

/** Runs the handler of an endpoint. */
export function handle<Name extends EndpointName>(
	name: Name,
	call: Call<Name>,
): ReturnType<Handlers[Name]> {
	return handlers[name](call) as ReturnType<Handlers[Name]>;
}

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
