/**
 * Deliveries to webhooks. The envelope and the expected 200 are specified; timeouts, retries and order are assumptions:
 * one person's events follow each other, unless a response takes long; those of different people go at the same time.
 */
import axios, { type AxiosError } from 'axios';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type Limit } from 'p-limit';

import { newId } from './ids';
import { writeJson } from './json';
import type { Settings } from './options';
import { BoundedLog } from './requestLog';
import { signatureHeaders } from './signatures';
import type { Webhook, Webhooks } from './state/webhooks';

const maxRetryDelayMs = 60_000;
/** A webhook gets messages of at most this many people at the same time. */
const maxPeople = 20;
/** How long the next message of a person waits for the response to the one before, ms. */
const patienceMs = 250;

/** One attempt of a delivery: the receiver's status; or null and the error, if there was no response. */
export interface Attempt {
	at: string;
	status: number | null;
	/** How long the attempt took, ms. */
	ms: number;
	/** The beginning of the response. */
	text?: string;
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

interface Environment {
	settings: Settings;
	webhooks: Webhooks;
	/** The body of an attempt, in the format of the variant. */
	describe: (delivery: Delivery) => unknown;
	/** Aborted when the sandbox is reset or closed. */
	closing: AbortSignal;
	/** Called with each new or changed delivery. */
	changed: (delivery: Delivery) => void;
}

/** A customer whose deliveries to a webhook are under way. A webhook serves a limited number of customers at once. */
interface Place {
	deliveries: number;
	taken: Promise<void>;
	leave: () => void;
}

/** Sends events to webhooks, and records the results. */
export class Deliveries {
	readonly log = new BoundedLog<Delivery>();

	/** The headers that sign a body. A test may replace this function by another kind of signature. */
	sign = (body: string, id: string): Record<string, string> =>
		signatureHeaders(this.environment.settings.webhookSecret, body, id);

	/** Limits for each webhook, and for each customer at a webhook. */
	private readonly limits = new Map<string, Limit>();
	/** For each customer at a webhook, as long as a delivery is under way. */
	private readonly places = new Map<string, Place>();

	private readonly client = axios.create({
		headers: { 'content-type': 'application/json', 'user-agent': 'business-messaging-sandbox' },
		httpAgent: new Agent({ keepAlive: true }),
		proxy: false,
		maxRedirects: 0,
		validateStatus: () => true,
		responseType: 'text',
	});

	constructor(private readonly environment: Environment) {}

	/** Delivers an event to every webhook that is registered for it. */
	publish(event: string, data: Record<string, unknown>): Delivery[] {
		return this.environment.webhooks
			.wanting(event)
			.map((webhook) => this.deliver(webhook, event, data));
	}

	/** Delivers an event to one webhook, even if it is not registered for the event. */
	deliver(webhook: Webhook, event: string, data: Record<string, unknown>): Delivery {
		const { id: webhookId, url } = webhook;
		const delivery: Delivery = {
			id: newId('dlv'),
			...{ webhookId, url, event, data, state: 'pending', attempts: [] },
			createdAt: new Date().toISOString(),
		};
		this.log.add(delivery);
		const customer = `${webhookId} ${JSON.stringify(data.from ?? data.to ?? delivery.id)}`;
		void this.limit(
			customer,
			1,
		)(async () => {
			await new Promise<void>((next) => {
				void this.bring(delivery, customer, next).then(next);
			});
		});
		this.environment.changed(delivery);
		return delivery;
	}

	/** `next` starts the customer's next delivery, before the end of this one if the receiver takes long. */
	private async bring(delivery: Delivery, customer: string, next: () => void): Promise<void> {
		const { settings, webhooks, closing, changed } = this.environment;
		while (delivery.state === 'pending') {
			const attempts = delivery.attempts.length;
			const delayMs = settings.deliveryRetryDelayMs * 2 ** (attempts - 1);
			if (attempts > 0) await sleep(Math.min(delayMs, maxRetryDelayMs), undefined, { ref: false });
			await this.atPlace(delivery.webhookId, customer, async () => {
				const isMessage = delivery.event === 'message.received';
				const slow = isMessage ? setTimeout(next, patienceMs).unref() : undefined;
				if (closing.aborted || !webhooks.get(delivery.webhookId)) delivery.state = 'cancelled';
				else delivery.attempts.push(await this.attempt(delivery));
				clearTimeout(slow);
			});
			if (delivery.attempts.at(-1)?.status === 200) delivery.state = 'delivered';
			else if (delivery.attempts.length >= settings.deliveryAttempts) delivery.state = 'failed';
			if (!closing.aborted) changed(delivery);
		}
	}

	/** Runs a task as soon as the webhook has a place for the customer. */
	private async atPlace(webhookId: string, customer: string, task: () => Promise<void>) {
		const place = this.places.get(customer) ?? this.newPlace(webhookId);
		this.places.set(customer, place);
		place.deliveries++;
		await place.taken;
		await task();
		if (--place.deliveries > 0) return;
		this.places.delete(customer);
		place.leave();
	}

	private newPlace(webhookId: string): Place {
		let leave = () => {};
		const left = new Promise<void>((resolve) => (leave = resolve));
		const taken = new Promise<void>((resolve) => {
			void this.limit(
				webhookId,
				maxPeople,
			)(async () => {
				resolve();
				await left;
			});
		});
		return { deliveries: 0, taken, leave };
	}

	private async attempt(delivery: Delivery): Promise<Attempt> {
		const { settings, describe, closing } = this.environment;
		const at = new Date().toISOString();
		const start = performance.now();
		const took = () => Math.round(performance.now() - start);
		const timeout = AbortSignal.timeout(settings.deliveryTimeoutMs);
		const signal = AbortSignal.any([timeout, closing]);
		try {
			const body = writeJson(describe(delivery));
			const options = { headers: this.sign(body, delivery.id), signal };
			const { status, data } = await this.client.post<string>(delivery.url, body, options);
			return { at, status, ms: took(), text: data.slice(0, 100) };
		} catch (error) {
			const late = `No response within ${settings.deliveryTimeoutMs} ms`;
			const words = timeout.aborted ? late : (error as AxiosError).code;
			return { at, status: null, ms: took(), error: words ?? String(error) };
		}
	}

	private limit(key: string, atOnce: number): Limit {
		const limit = this.limits.get(key) ?? pLimit(atOnce);
		this.limits.set(key, limit);
		return limit;
	}
}
