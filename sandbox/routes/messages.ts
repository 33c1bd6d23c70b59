/** Sending. */
import { conflict, invalid } from '../errors';
import type { Message } from '../state/messages';
import { renderTemplate } from './renderTemplate';
import type { Call, Handlers } from './types';

type Send = Call<'sendText'> | Call<'sendTemplate'>;

export const messageHandlers: Pick<Handlers, 'sendText' | 'sendTemplate'> = {
	sendText(call) {
		const { text } = call.body;
		const { maxTextLength } = call.state.settings;
		if (text.length > maxTextLength)
			throw invalid('text', `must have at most ${maxTextLength} characters`);
		return send(call, { text });
	},

	sendTemplate(call) {
		const { template, language } = call.body;
		return send(
			call,
			renderTemplate(call.state.templates.findApproved(template, language), call.body),
		);
	},
};

function send(call: Send, content: Pick<Message, 'text' | 'template'>) {
	const { id, phone, status, createdAt } = once(call, () =>
		call.state.traffic.send({
			...content,
			phone: call.body.to,
			keyId: call.key.id,
			idempotencyKey: call.idempotencyKey,
		}),
	);
	return { id, to: phone, status, timestamp: createdAt };
}

/** The first message of a known `Idempotency-Key`, if the sandbox heeds that header (assumption). */
function once({ state, key, idempotencyKey, body }: Send, make: () => Message): Message {
	if (!state.settings.idempotency || !idempotencyKey) return make();
	const known = state.idempotent.get(`${key.id} ${idempotencyKey}`);
	const request = JSON.stringify(body);
	if (!known) {
		const message = make();
		state.idempotent.set(`${key.id} ${idempotencyKey}`, { request, message });
		return message;
	}
	if (known.request === request) return known.message;
	throw conflict('Idempotency-Key', 'The idempotency key was used for another message');
}
