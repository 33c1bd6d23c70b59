/** A waiting run of the same n8n without its execution, and the calls of Send and Wait as our nodes make them. */
import { unseal, seal } from '../../../nodes/BusinessMessaging/inbox/seal';
import type { Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import { fromRecord, toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import type { Service } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';

let count = 0;
let number = 0;

/** What a call contains. It is for the trigger or run `to`. */
export function sealedBy(
	service: Service,
	to: string,
	content: object,
	credential: Record<string, string> = {},
	at = Date.now(),
): { sealed: string } {
	const call = { at, to, once: `number ${++number}`, content };
	return { sealed: seal(service.keyId(credential), JSON.stringify(call)) };
}

/** Calls a trigger. */
export async function call(trigger: Trigger, data: object) {
	return await trigger.deliver({ event: 'business-messaging.call', data });
}

/** A waiting run of the same n8n: what it asks, and what it receives. */
export class WaitingRun {
	readonly got: string[] = [];
	readonly run: Run;

	/** @param respond gives n8n's response at the run's URL; by default, the run waits until it has the replies */
	constructor(
		private readonly service: Service,
		readonly trigger: Trigger,
		asked: string[],
		respond?: (isPoll: boolean) => unknown,
		more: Partial<Run> = {},
	) {
		const id = `run-${String(++count).padStart(7, '0')}`;
		const path = `/webhook-waiting/${count}/node`;
		const url = `${new URL(trigger.url).origin}${path}?wait=${id}&signature=${'a'.repeat(64)}`;
		const person = (to: string, item: number): Person => ({
			...{ item, to, question: 0, since: 0, toldAt: 0, askedMessageId: null },
			...{ messages: [], misfits: [] },
		});
		const now = Date.now();
		this.run = {
			...{ id, url, workflow: 'Ask the customers', startedAt: now },
			...{ until: now + 60_000, heardAt: now },
			isAsked: true,
			questions: [{ ...defaultAnswer(), asked: 'Tuesday?' }],
			people: new Map(asked.map((to, item) => [item, person(to, item)])),
			...more,
		};
		service.engine['server'].register('POST', path, async (request, response) => {
			const { data } = request.body as { data: { sealed: string } };
			const { once, content } = JSON.parse(unseal(service.keyId(), data.sealed)!) as {
				once: string;
				content: { record?: string };
			};
			const isPoll = content.record === undefined;
			const body = respond?.(isPoll);
			const answer = (state: string) =>
				response.json({
					sealed: seal(service.keyId(), JSON.stringify({ once, response: { state } })),
				});
			if (body !== undefined) return void response.send(body);
			if (isPoll) return void answer('waiting');
			const { people: replied } = fromRecord(id, content.record, trigger.url)!;
			const texts = [...replied.values()].flatMap(({ messages }) => messages);
			this.got.push(...texts.map(({ text }) => text ?? ''));
			answer('accepted');
		});
	}

	/** Tells the run's trigger who is asked. */
	async tell(): Promise<unknown> {
		const { run, trigger, service } = this;
		const record = toRecord(run, trigger.url);
		const content = { is: 'close', id: run.id, run: record, skewMs: null };
		const { body } = await call(trigger, sealedBy(service, trigger.url, content));
		const { sealed } = body as { sealed: string };
		return (JSON.parse(unseal(service.keyId(), sealed)!) as { response: unknown }).response;
	}
}
