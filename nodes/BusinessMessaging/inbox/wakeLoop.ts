/** Calls an inbox again and again, from the process in which n8n publishes its trigger (README.md). */
import type { IHookFunctions } from 'n8n-workflow';

import { connect } from '../transport/connect';
import { pause } from '../transport/deadline';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { callsOf } from './calls';

/** How often the inbox is called, ms: it then stores what n8n has overwritten, and after a restart it wakes. */
const wakeMs = 30_000;
/** The first pause if it does not respond, ms; doubled each time. */
const retryMs = 1_000;
/** After this time without the inbox, another n8n has unpublished it, ms. */
const maxGoneMs = 600_000;

/** The calls of one inbox. Only one loop goes on: the latest for its URL. */
export class WakeLoop {
	private current?: { url: string };

	/** @param wait pauses for a time, ms */
	constructor(private readonly wait: (ms: number) => Promise<unknown> = pause) {}

	/** Begins to call the inbox, without waiting for it. */
	start(context: IHookFunctions): void {
		const loop = { url: webhookUrlOf(context) };
		this.current = loop;
		void this.run(context, loop);
	}

	/** Ends the calls of a URL; a test in the editor has another one. @returns whether the inbox was called */
	end(url: string): boolean {
		if (this.current?.url !== url) return false;
		this.current = undefined;
		return true;
	}

	private async run(context: IHookFunctions, loop: { url: string }): Promise<void> {
		const calls = callsOf(context.helpers, async () => (await connect(context)).config.keyId);
		let pauseMs = retryMs;
		let goneMs = 0;
		while (this.current === loop && goneMs < maxGoneMs) {
			const result = await calls.callTrigger(loop.url, { is: 'wake' });
			const isThere = typeof result === 'object';
			await this.wait(isThere ? wakeMs : pauseMs);
			goneMs = result === 'gone' ? goneMs + pauseMs : 0;
			pauseMs = isThere ? retryMs : Math.min(2 * pauseMs, wakeMs);
		}
	}
}
