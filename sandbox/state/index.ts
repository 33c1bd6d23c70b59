/** The whole state of a sandbox, in memory, with times in ISO 8601. A reset replaces it by a new one. */
import type { EventEmitter } from 'node:events';

import { KeyRing, RateLimiter, SimultaneousRequests } from '../auth';
import { Deliveries, type Delivery } from '../deliveries';
import { Faults } from '../faults';
import { KnownRequests } from '../idempotency';
import { demoKey, type Settings } from '../options';
import { RequestLog } from '../requestLog';
import { VariantAdapter } from '../variants/adapter';
import { Contacts } from './contacts';
import { Conversations } from './conversations';
import { later, Messages, Traffic, type Message } from './messages';
import { sampleContact, sampleTemplates } from './samples';
import { Templates, type Template } from './templates';
import { Webhooks } from './webhooks';

/** Events for observers of the sandbox. */
export type Changes = {
	message: [Message];
	delivery: [Delivery];
	reset: [];
};

/** The state of a sandbox. */
export class State {
	readonly keys = new KeyRing();
	readonly contacts = new Contacts();
	readonly templates = new Templates();
	readonly messages = new Messages();
	readonly conversations = new Conversations(this.messages, this.contacts);
	readonly webhooks = new Webhooks();
	readonly faults = new Faults();
	readonly requests = new RequestLog();
	readonly knownRequests = new KnownRequests();
	readonly rateLimiter: RateLimiter;
	readonly simultaneousRequests: SimultaneousRequests;
	/** Translates to and from the chosen variant of the service. */
	readonly adapter: VariantAdapter;
	readonly deliveries: Deliveries;
	readonly traffic: Traffic;
	private readonly closing = new AbortController();

	constructor(
		readonly settings: Settings,
		changes: EventEmitter<Changes>,
	) {
		this.rateLimiter = new RateLimiter(settings);
		this.simultaneousRequests = new SimultaneousRequests(settings.simultaneousRequests);
		const { webhooks } = this;
		const { signal: closing } = this.closing;
		this.adapter = new VariantAdapter(settings, this.contacts);
		this.deliveries = new Deliveries({
			settings,
			webhooks,
			closing,
			describe: (delivery) => this.adapter.event(delivery),
			changed: (delivery) => changes.emit('delivery', delivery),
		});
		this.traffic = new Traffic({
			...this,
			closing,
			changed: (message) => changes.emit('message', message),
		});
		this.keys.create('Demo key', demoKey);
		for (const { status = 'APPROVED', ...template } of sampleTemplates)
			this.templates.create(template, status);
		for (let index = 0; index < settings.sampleContacts; index++)
			this.contacts.create(sampleContact(index));
	}

	/** Approves a new or changed template after the configured delay. */
	awaitApproval(template: Template): void {
		later(this.closing.signal, this.settings.approvalDelayMs, () => {
			if (template.status === 'PENDING') template.status = 'APPROVED';
		});
	}

	/** Stops deliveries, receipts and approvals. */
	close(): void {
		this.closing.abort();
	}
}
