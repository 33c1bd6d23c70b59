/** What a trigger remembers in this process. n8n stores it in static data, but may write an older copy back at any moment. */
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { InboxMemory } from '../inbox/inboxMemory';
import { InboxUrl } from '../inbox/inboxUrl';
import type { InboxDelivery } from '../inbox/protocol';
import { WakeLoop } from '../inbox/wakeLoop';
import type { Kept, Response } from '../webhooks/kept';
import { RecentEvents } from '../webhooks/recentEvents';
import { Collections } from './collect';
import { RegistrationRecord } from './registrationRecord';

type Context = IHookFunctions | IWebhookFunctions;

/** n8n begins to respond within this time, ms. */
const maxResponseMs = 8_000;

/** A part, and its name in static data, which contains the node's ID, so that a renamed node keeps it. */
type Part = [name: string, part: Kept];

/** The memory of one trigger. */
export class TriggerMemory {
	readonly events = new RecentEvents();
	readonly registration = new RegistrationRecord();
	readonly inbox = new InboxMemory();
	readonly inboxUrl = new InboxUrl();
	readonly collections = new Collections(this.events);
	readonly wakeLoop = new WakeLoop();
	/** The registration that has just failed. */
	failed?: { url: string; isTest: boolean };

	/** @param inWorkflow the memories of all our triggers in the workflow */
	constructor(
		private readonly node: string,
		private readonly inWorkflow: BoundedMap<string, TriggerMemory>,
	) {}

	/** Learns what n8n has stored, before anything is decided. */
	read(context: Context, isTest = isManual(context)): void {
		const stored = context.getWorkflowStaticData('global');
		for (const [name, part] of this.partsFor(isTest)) part.merge(stored[name]);
	}

	/**
	 * Lets n8n store everything with a delivery if a part is behind: also that of our other triggers in this workflow,
	 * because n8n writes all static data as it had read it. @param isStarting whether the delivery starts an execution
	 */
	write(context: IWebhookFunctions, isStarting: boolean): void {
		const stored = context.getWorkflowStaticData('global');
		const response = context.getResponseObject();
		const parts = this.partsFor(isManual(context));
		if (!parts.some(([name, part]) => part.isBehind(stored[name], response))) return;
		const set = () => setAll(stored, parts, response);
		set();
		if (isStarting) void repeatUntilEnd(response, set);
	}

	/** A delivery or a call as the inbox and another trigger see it. */
	deliveryOf(response: Response): InboxDelivery {
		return this.inbox.deliveryOf(response, this.registration.ofDelivery(false)?.madeAt ?? 0);
	}

	/** Lets n8n store everything when it has published or unpublished the trigger. */
	save(context: IHookFunctions, isTest = isManual(context)): void {
		setAll(context.getWorkflowStaticData('global'), this.partsFor(isTest));
	}

	/** In a test in the editor, n8n gives static data that is not that of the published workflow. */
	private partsFor(isTest: boolean): Part[] {
		if (isTest) return [this.named('registrations', this.registration)];
		return this.inWorkflow.all().flatMap(([, memory]) => memory.parts);
	}

	private get parts(): Part[] {
		return [
			this.named('recentEvents', this.events),
			this.named('registrations', this.registration),
			this.named('inbox', this.inbox),
			this.named('inboxUrl', this.inboxUrl),
		];
	}

	private named(name: string, part: Kept): Part {
		return [`${name} of ${this.node}`, part];
	}
}

function isManual(context: Context): boolean {
	return context.getMode() === 'manual';
}

/** The memories of all triggers in one process. */
export class TriggerMemories {
	/** By workflow and node. */
	private readonly workflows = new BoundedMap<string, BoundedMap<string, TriggerMemory>>({
		maxSize: 1_000,
		maxAgeMs: Infinity,
	});

	/** The memory of the trigger that n8n calls. */
	of(context: Context): TriggerMemory {
		const { id } = context.getNode();
		const inWorkflow = this.workflows.getOrSet(
			String(context.getWorkflow().id),
			() => new BoundedMap<string, TriggerMemory>({ maxSize: 100, maxAgeMs: Infinity }),
		);
		return inWorkflow.getOrSet(id, () => new TriggerMemory(id, inWorkflow));
	}
}

/** Those of this process. */
export const memories = new TriggerMemories();

/** n8n notices that a value is set, not changes inside it. What is undefined stays as n8n has read it. */
function setAll(stored: IDataObject, parts: Part[], response?: Response): void {
	for (const [name, part] of parts) {
		const value = part.live(response);
		if (value !== undefined) stored[name] = value;
	}
}

/** When n8n 2.41 begins to store an execution, it forgets that static data was changed. */
async function repeatUntilEnd(response: Response, set: () => void): Promise<void> {
	const end = performance.now() + maxResponseMs;
	while (!response.writableEnded && performance.now() < end) {
		set();
		await sleep(1);
	}
}
