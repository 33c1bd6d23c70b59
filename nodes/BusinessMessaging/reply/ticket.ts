/**
 * What the URL of a temporary registration carries: whose answer is awaited, and that answer once it came. The service
 * thus keeps the state of a wait, for every process of n8n and over restarts.
 *
 * It is sealed: phone numbers and answers show neither in n8n's nor in a proxy's log, and only who uses the same
 * service with the same API key can tell such a registration from others.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'crypto';
import { z } from 'zod';

import type { ServiceConfig } from '../transport/serviceConfig';

const answerSchema = z.object({
	/** Text of the message; null for one without text. */
	text: z.string().nullable(),
	/** Whether the text was longer than a URL may be. */
	isCut: z.boolean().optional(),
	messageId: z.string().optional(),
	/** Moment of the message as the service writes it. */
	time: z.string().optional(),
	/** Tells the message from all others, if that can be told. */
	identity: z.string().optional(),
	/** Whether it is what was asked for. */
	isAccepted: z.boolean(),
});

/** The message with which somebody has answered. */
export type ReceivedAnswer = z.infer<typeof answerSchema>;

const ticketSchema = z.object({
	/** Names the run of the node that waits. */
	run: z.string(),
	/** Index of the item that asks. */
	item: z.number(),
	/** Who was asked, E.164. */
	to: z.string(),
	/** When the question was asked and until when the answer counts, ms since 1970. */
	asked: z.number(),
	until: z.number(),
	answer: answerSchema.optional(),
});

/** One question and what became of it. */
export type Ticket = z.infer<typeof ticketSchema>;

/** The query parameter that carries it. */
export const ticketParameter = 'wait';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Seals and opens the tickets of one service and API key. */
export class TicketSeal {
	private readonly key: Buffer;

	constructor({ id }: Pick<ServiceConfig, 'id'>) {
		this.key = createHash('sha256').update(`send and wait ${id}`).digest();
	}

	/** The ticket as text that needs no escaping in a URL. */
	close(ticket: Ticket): string {
		const iv = randomBytes(ivBytes);
		const cipher = createCipheriv(algorithm, this.key, iv);
		const text = Buffer.concat([cipher.update(JSON.stringify(ticket), 'utf8'), cipher.final()]);
		return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
	}

	/** The ticket, or undefined if this is none, or one of another key. */
	open(sealed: unknown): Ticket | undefined {
		if (typeof sealed !== 'string') return undefined;
		const bytes = Buffer.from(sealed, 'base64url');
		if (bytes.length <= ivBytes + tagBytes) return undefined;
		try {
			const decipher = createDecipheriv(algorithm, this.key, bytes.subarray(0, ivBytes));
			decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
			const text = Buffer.concat([
				decipher.update(bytes.subarray(ivBytes + tagBytes)),
				decipher.final(),
			]);
			return ticketSchema.safeParse(JSON.parse(text.toString('utf8'))).data;
		} catch {
			return undefined; // somebody else's
		}
	}
}

/** Whether a question is later than another one to the same person: it gets the answer first. */
export function isLater(one: Ticket, other: Ticket): boolean {
	const order = one.asked - other.asked || one.item - other.item;
	return order > 0 || (order === 0 && one.run > other.run);
}
