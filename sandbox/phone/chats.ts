/** The phone's view of conversations and contacts. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { phoneSchema } from '../../nodes/BusinessMessaging/api/schemas';
import { parse } from '../errors';
import type { State } from '../state';
import type { Conversation } from '../state/conversations';
import type { Message } from '../state/messages';

/** A customer, and the last message with them if there is one. */
export interface Chat {
	/** E.164. */
	phone: string;
	name: string | null;
	messageCount: number;
	lastMessage: Conversation['lastMessage'] | null;
}

/** Answer of `GET /_sandbox/chats`; `total` counts also those that the limit cuts off. */
export interface ChatList {
	data: Chat[];
	total: number;
}

/** Answer of `GET /_sandbox/chats/:phone`: its newest messages, oldest first. */
export interface ChatMessages {
	chat: Chat;
	data: Message[];
	total: number;
}

const limit = z.coerce.number().int().min(1).max(1000).default(50);
const listQuerySchema = z.object({ search: z.string().default(''), limit });
const messagesQuerySchema = z.object({ limit });
const pathSchema = z.object({ phone: phoneSchema });

/** Mounts `/chats` and `/chats/:phone`. */
export function mountChats(controls: FastifyInstance, stateNow: () => State): void {
	controls.get('/chats', async ({ query }): Promise<ChatList> => {
		const { search, limit } = parse(listQuerySchema, query);
		const found = chatsOf(stateNow()).filter(matching(search));
		return { data: found.slice(0, limit), total: found.length };
	});
	controls.get('/chats/:phone', async ({ params, query }): Promise<ChatMessages> => {
		const { phone } = parse(pathSchema, params);
		const messages = stateNow().messages.withCustomer(phone);
		const data = messages.slice(-parse(messagesQuerySchema, query).limit);
		return { chat: chatWith(stateNow(), phone), data, total: messages.length };
	});
}

/** The chats, the newest first, then the contacts nobody has written with. */
function chatsOf(state: State): Chat[] {
	const written = [...state.conversations.all].sort((one, other) => (isNewer(one, other) ? -1 : 1));
	const silent = state.contacts.all.filter(({ phone }) => !state.conversations.withCustomer(phone));
	return [...written, ...silent].map(({ phone }) => chatWith(state, phone));
}

/** Identifiers grow with time, and tell apart what came in the same millisecond. */
function isNewer(one: Conversation, other: Conversation): boolean {
	if (one.updatedAt !== other.updatedAt) return one.updatedAt > other.updatedAt;
	return one.lastMessage.id > other.lastMessage.id;
}

function chatWith(state: State, phone: string): Chat {
	const conversation = state.conversations.withCustomer(phone);
	const name = state.contacts.findByPhone(phone)?.name ?? conversation?.name ?? null;
	return {
		phone,
		name,
		messageCount: conversation?.messageCount ?? 0,
		lastMessage: conversation?.lastMessage ?? null,
	};
}

/** Whether the name contains the words, or the phone number the digits, however they are grouped. */
function matching(search: string): (chat: Chat) => boolean {
	const words = search.trim().toLowerCase();
	const digits = /^[+\d\s().-]+$/.test(words) ? words.replace(/\D/g, '') : '';
	return ({ name, phone }) =>
		words === '' ||
		(name ?? '').toLowerCase().includes(words) ||
		(digits !== '' && phone.includes(digits));
}
