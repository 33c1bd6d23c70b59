/** The phone: a page at `/` on which one reads and answers as any customer, its chats, and an event whenever something has changed. */
import type { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { orderBy, throttle, once } from 'lodash';
import { z } from 'zod';
import { buildSync } from 'esbuild';
import { phoneSchema } from '../../nodes/BusinessMessaging/api/endpoints';
import { parse } from '../errors';
import type { Changes, State } from '../state';
import type { Conversation } from '../state/conversations';
import type { Message } from '../state/messages';
import { refuseOthers } from '../auth';

/** A customer, and the last message with them if there is one. */
export interface Chat {
	/** E.164. */
	phone: string;
	name: string | null;
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

/** How many chats, or messages of a chat, an answer has. */
const limit = 200;
const listQuerySchema = z.object({ search: z.string().default('') });
const pathSchema = z.object({ phone: phoneSchema });

/** Mounts `/chats` and `/chats/:phone`. */
export function mountChats(controls: FastifyInstance, stateNow: () => State): void {
	controls.get('/chats', async ({ query }): Promise<ChatList> => {
		const { search } = parse(listQuerySchema, query);
		const found = chatsOf(stateNow()).filter(matching(search));
		return { data: found.slice(0, limit), total: found.length };
	});
	controls.get('/chats/:phone', async ({ params }): Promise<ChatMessages> => {
		const { phone } = parse(pathSchema, params);
		const messages = stateNow().messages.withCustomer(phone);
		const data = messages.slice(-limit);
		return { chat: chatWith(stateNow(), phone), data, total: messages.length };
	});
}

/** The chats, the newest first, then the contacts nobody has written with. */
function chatsOf(state: State): Chat[] {
	// Identifiers grow with time, and tell apart what came in the same millisecond.
	const written = orderBy(state.conversations.all, ['updatedAt', 'lastMessage.id'], 'desc');
	const silent = state.contacts.all.filter(({ phone }) => !state.conversations.withCustomer(phone));
	return [...written, ...silent].map(({ phone }) => chatWith(state, phone));
}

function chatWith(state: State, phone: string): Chat {
	const conversation = state.conversations.withCustomer(phone);
	const name = state.contacts.findByPhone(phone)?.name ?? conversation?.name ?? null;
	return { phone, name, lastMessage: conversation?.lastMessage ?? null };
}

/** Whether the name contains the words, or the phone number the digits, however they are grouped. */
function matching(search: string): (chat: Chat) => boolean {
	const words = search.trim().toLowerCase();
	const digits = /^[+\d\s().-]+$/.test(words) ? words.replace(/\D/g, '') : '';
	return ({ name, phone }) =>
		(name ?? '').toLowerCase().includes(words) || (digits !== '' && phone.includes(digits));
}

/** How long changes are collected before a page is notified, ms: a campaign changes thousands of messages a second. */
const gatherMs = 100;
/** After how long a page connects again, ms. */
const retryMs = 1_000;
const changedEvents = ['message', 'delivery', 'webhooks', 'reset'] as const;

/** Mounts `/events`: server-sent events that say only that something has changed. A page asks for what it shows of it. */
export function mountLive(controls: FastifyInstance, changes: EventEmitter<Changes>): void {
	controls.get('/events', async (_, reply) => {
		const stream = new PassThrough();
		stream.write(`retry: ${retryMs}\n\n`);
		// A page that does not keep up has unread events, so it needs no further one.
		const notify = throttle(
			() => void (stream.writableNeedDrain || stream.write('data: changed\n\n')),
			gatherMs,
		);
		for (const name of changedEvents) changes.on(name, notify);
		stream.once('close', () => {
			notify.cancel();
			for (const name of changedEvents) changes.off(name, notify);
		});
		return await reply.type('text/event-stream').header('cache-control', 'no-store').send(stream);
	});
}

const folder = path.join(__dirname, 'page');

/** The page's script and its style, made at the first visit. */
const bundle = once(() => {
	const { outputFiles } = buildSync({
		entryPoints: [path.join(folder, 'main.tsx')],
		bundle: true,
		write: false,
		outdir: folder,
		format: 'esm',
		jsx: 'automatic',
		jsxImportSource: 'preact',
	});
	const textOf = (kind: string) => outputFiles.find((file) => file.path.endsWith(kind))?.text;
	return { script: textOf('.js'), style: textOf('.css') };
});

/** Nothing from elsewhere, no script but ours, no page around it; asks each time whether a file has changed. */
const headers = {
	'cache-control': 'no-cache',
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'referrer-policy': 'no-referrer',
	'x-content-type-options': 'nosniff',
};

/** Mounts the page at `/` and its files under `/phone/`. They hold no data: that comes from the controls. */
export function mountPhone(app: FastifyInstance): void {
	const files: Record<string, [type: string, read: () => string | undefined]> = {
		'/': ['text/html', () => readFileSync(path.join(folder, 'index.html'), 'utf8')],
		'/phone/icon.svg': ['image/svg+xml', () => readFileSync(path.join(folder, 'icon.svg'), 'utf8')],
		'/phone/main.js': ['text/javascript', () => bundle().script],
		'/phone/main.css': ['text/css', () => bundle().style],
	};
	void app.register(async (phone) => {
		phone.addHook('onRequest', refuseOthers);
		for (const [address, [type, read]] of Object.entries(files)) {
			phone.get(address, async (_, reply) =>
				reply.headers(headers).type(`${type}; charset=utf-8`).send(read()),
			);
		}
	});
}
