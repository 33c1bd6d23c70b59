/**
 * Deliveries of events to webhooks. The envelope and the expected 200 are specified; time limit, retries and order
 * are assumptions: what concerns one person is delivered one after another, different people side by side.
 */
import axios from 'axios';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import pLimit, { type Limit } from 'p-limit';

import { BoundedLog } from './boundedLog';
import type { Settings } from './options';
import type { Scheduler } from './scheduler';
import { signatureHeaders, type Signing } from './signing';
import type { Webhook, Webhooks } from './state/webhooks';
import type { Edge } from './variants/edge';

const longestRetryDelayMs = 60_000;
const longestReplyBytes = 1_048_576;

/** One try of a delivery: the receiver's status, or null and the error if none came. */
export interface Attempt {
	/** ISO 8601. */
	at: string;
	status: number | null;
	/** How long it took, ms. */
	ms: number;
	error?: string;
}

/** An event on its way to a webhook. */
export interface Delivery {
	id: string;
	webhookId: string;
	url: string;
	event: string;
	data: Record<string, unknown>;
	/** `cancelled`: its webhook was deleted before the event got through. */
	state: 'pending' | 'delivered' | 'failed' | 'cancelled';
	attempts: Attempt[];
	createdAt: string;
}

interface Surroundings {
	settings: Settings;
	scheduler: Scheduler;
	webhooks: Webhooks;
	edge: Edge;
	newId: (prefix: string) => string;
	/** Is told of each new or changed delivery. */
	changed: (delivery: Delivery) => void;
}

/** Sends events to webhooks and remembers how that went. */
export class Deliveries {
	readonly log: BoundedLog<Delivery>;

	/** How every try from now on is signed; null for not at all. */
	signing: Signing | null;

	private readonly lanes = new Map<string, Delivery[]>();

	private readonly limits = new Map<string, Limit>();

	private readonly closing = new AbortController();

	private readonly client = axios.create({
		headers: { 'content-type': 'application/json', 'user-agent': 'business-messaging-sandbox' },
		httpAgent: new Agent({ keepAlive: true }),
		httpsAgent: new TlsAgent({ keepAlive: true }),
		proxy: false,
		maxRedirects: 0,
		maxContentLength: longestReplyBytes,
		validateStatus: () => true,
		responseType: 'text',
	});

	constructor(private readonly around: Surroundings) {
		this.log = new BoundedLog(around.settings.logSize);
		this.signing = around.settings.signing;
	}

	/** Delivers an event to every webhook that wants it. */
	publish(event: string, data: Record<string, unknown>): Delivery[] {
		return this.around.webhooks.wanting(event).map((webhook) => this.deliver(webhook, event, data));
	}

	/** Delivers an event to one webhook, wanted or not. */
	deliver(webhook: Webhook, event: string, data: Record<string, unknown>): Delivery {
		const { id: webhookId, url } = webhook;
		const own = { id: this.around.newId('dlv'), createdAt: new Date().toISOString() };
		const delivery: Delivery = {
			...own,
			webhookId,
			url,
			event,
			data,
			state: 'pending',
			attempts: [],
		};
		this.log.add(delivery);
		const lane = `${webhookId} ${JSON.stringify(data.from ?? data.to ?? delivery.id)}`;
		const waiting = this.lanes.get(lane);
		if (waiting) waiting.push(delivery);
		else void this.work(lane, [delivery]);
		this.around.changed(delivery);
		return delivery;
	}

	/** Ends what is under way. */
	close(): void {
		this.closing.abort();
	}

	private async work(lane: string, queue: Delivery[]): Promise<void> {
		this.lanes.set(lane, queue);
		for (let delivery = queue[0]; delivery; delivery = queue[0]) {
			await this.bring(delivery);
			queue.shift();
		}
		this.lanes.delete(lane);
	}

	private async bring(delivery: Delivery): Promise<void> {
		const { settings, scheduler, webhooks, changed } = this.around;
		for (let tries = 0; delivery.state === 'pending'; tries++) {
			if (tries > 0)
				await scheduler.wait(
					Math.min(settings.deliveryRetryDelayMs * 2 ** (tries - 1), longestRetryDelayMs),
				);
			await this.limitOf(delivery.webhookId)(async () => {
				if (this.closing.signal.aborted || !webhooks.get(delivery.webhookId))
					delivery.state = 'cancelled';
				else delivery.attempts.push(await this.attempt(delivery));
			});
			if (delivery.attempts.at(-1)?.status === 200) delivery.state = 'delivered';
			else if (delivery.attempts.length >= settings.deliveryAttempts) delivery.state = 'failed';
			changed(delivery);
		}
	}

	private async attempt(delivery: Delivery): Promise<Attempt> {
		const at = new Date().toISOString();
		const start = performance.now();
		const took = () => Math.round(performance.now() - start);
		const timeLimit = AbortSignal.timeout(this.around.settings.deliveryTimeoutMs);
		const signal = AbortSignal.any([timeLimit, this.closing.signal]);
		try {
			const body = JSON.stringify(this.around.edge.event(delivery));
			const headers = this.signing ? signatureHeaders(this.signing, body, new Date()) : {};
			const { status } = await this.client.post(delivery.url, body, { headers, signal });
			return { at, status, ms: took() };
		} catch (error) {
			const words = timeLimit.aborted
				? `No answer within ${this.around.settings.deliveryTimeoutMs} ms`
				: wordsOf(error);
			return { at, status: null, ms: took(), error: words };
		}
	}

	private limitOf(webhookId: string): Limit {
		const limit = this.limits.get(webhookId) ?? pLimit(this.around.settings.deliveryConcurrency);
		this.limits.set(webhookId, limit);
		return limit;
	}
}

function wordsOf(error: unknown): string {
	if (axios.isAxiosError(error)) return error.code ?? error.message;
	return error instanceof Error ? error.message : String(error);
}
