/** The phone: a page at `/` that shows the messages of all customers and sends replies as any of them; and the data of its chats. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import { once, orderBy } from 'lodash';
import { z } from 'zod';
import { phoneSchema } from '../../nodes/BusinessMessaging/api/endpoints';
import { refuseOthers } from '../auth';
import { parse } from '../errorResponses';
import type { State } from '../state';
import type { Conversation } from '../state/conversations';
import type { Message } from '../state/messages';

/** A customer and their last message, if there is one. */
export interface Chat {
	/** E.164. */
	phone: string;
	name: string | null;
	lastMessage: Conversation['lastMessage'] | null;
}

/** Response of `GET /_sandbox/chats`. `total` also counts the chats beyond the limit. */
export interface ChatList {
	data: Chat[];
	total: number;
}

/** Response of `GET /_sandbox/chats/:phone`: the newest messages of the chat, oldest first. */
export interface ChatMessages {
	name: string | null;
	data: Message[];
	total: number;
}

/** The greatest number of chats, or of messages of a chat, in a response. */
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
		const { messages, contacts, conversations } = stateNow();
		const all = messages.withCustomer(phone);
		const { name = null } = conversations.withCustomer(phone) ?? contacts.findByPhone(phone) ?? {};
		return { name, data: all.slice(-limit), total: all.length };
	});
}

/** The chats, the newest first, then the contacts without messages. */
function chatsOf({ conversations, contacts }: State): Chat[] {
	// Later identifiers are greater.
	const written = orderBy(conversations.all, 'lastMessage.id', 'desc');
	const silent = contacts.all.filter(({ phone }) => !conversations.withCustomer(phone));
	return [...written, ...silent.map(({ phone, name }) => ({ phone, name, lastMessage: null }))];
}

/** Whether the name contains the search text, or the phone number contains its digits, whatever is between them. */
function matching(search: string): (chat: Chat) => boolean {
	const words = search.trim().toLowerCase();
	const digits = /^[+\d\s().-]+$/.test(words) ? words.replace(/\D/g, '') : '';
	return ({ name, phone }) =>
		(name ?? '').toLowerCase().includes(words) || (digits !== '' && phone.includes(digits));
}

const folder = path.join(__dirname, 'page');

/** The page's script and style, built at the first visit. */
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

/** Only our own scripts, nothing from other hosts, and no embedding page. The browser asks each time for changes. */
const headers = {
	'cache-control': 'no-cache',
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'referrer-policy': 'no-referrer',
	'x-content-type-options': 'nosniff',
};

/** Mounts the page at `/` and its files under `/phone/`. They contain no data: the page gets its data from the controls. */
export function mountPhone(app: FastifyInstance): void {
	const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
	const files: Record<string, [type: string, content: () => string | undefined]> = {
		'/': ['text/html', () => read('index.html')],
		'/phone/icon.svg': ['image/svg+xml', () => read('icon.svg')],
		'/phone/main.js': ['text/javascript', () => bundle().script],
		'/phone/main.css': ['text/css', () => bundle().style],
	};
	for (const [url, [type, content]] of Object.entries(files)) {
		app.get(url, { onRequest: refuseOthers }, async (_, reply) =>
			reply.headers(headers).type(`${type}; charset=utf-8`).send(content()),
		);
	}
}
