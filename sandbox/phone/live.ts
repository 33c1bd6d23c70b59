/** Tells pages what has changed, as server-sent events: not the records themselves, which a page asks for as far as it shows them. */
import type { EventEmitter } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';

import type { FastifyInstance } from 'fastify';

import type { Changes } from '../state';
import type { Message } from '../state/messages';

/** Data of an event: what has changed since the one before. */
export interface News {
	/** Phone numbers whose chat has a new or changed message. */
	chats: string[];
	/** Whether a delivery or a webhook has changed. */
	deliveries: boolean;
	/** Whether everything has: the sandbox was reset. */
	reset: boolean;
}

/** How long changes are gathered before they are told, ms: a campaign changes thousands of messages a second. */
const gatherMs = 100;
/** After how long a page connects again, ms. */
const retryMs = 1_000;

/** Mounts `/events`. */
export function mountLive(controls: FastifyInstance, changes: EventEmitter<Changes>): void {
	controls.get('/events', async (_, reply) => {
		return await reply
			.type('text/event-stream')
			.header('cache-control', 'no-store')
			.send(streamOf(changes));
	});
}

function streamOf(changes: EventEmitter<Changes>): Readable {
	const stream = new PassThrough();
	stream.write(`retry: ${retryMs}\n\n`);
	const stopWatching = watch(changes, (news) => {
		// A page that does not keep up is told later, of all at once.
		if (stream.writableNeedDrain) return false;
		stream.write(`data: ${JSON.stringify(news)}\n\n`);
		return true;
	});
	stream.once('close', stopWatching);
	return stream;
}

/** @param tell is given the gathered changes; false has them gathered on */
function watch(changes: EventEmitter<Changes>, tell: (news: News) => boolean): () => void {
	let news = nothing();
	let timer: NodeJS.Timeout | undefined;
	const flush = () => {
		timer = undefined;
		if (tell({ ...news, chats: [...news.chats] })) news = nothing();
		else gather();
	};
	const gather = () => {
		timer ??= setTimeout(flush, gatherMs);
	};
	const onMessage = ({ phone }: Message) => {
		news.chats.add(phone);
		gather();
	};
	const onDelivery = () => {
		news.deliveries = true;
		gather();
	};
	const onReset = () => {
		news.reset = true;
		gather();
	};
	changes
		.on('message', onMessage)
		.on('delivery', onDelivery)
		.on('webhooks', onDelivery)
		.on('reset', onReset);
	return () => {
		clearTimeout(timer);
		changes
			.off('message', onMessage)
			.off('delivery', onDelivery)
			.off('webhooks', onDelivery)
			.off('reset', onReset);
	};
}

const nothing = () => ({ chats: new Set<string>(), deliveries: false, reset: false });
