/** What is checked again right before a message goes out: the Send Window, and whether the person has opted out. */
import { outsideWindow } from './applyAudienceRules';
import { type Guard, type Outcome, type Send, type ValidItem, hasFailed } from './item';
import type { OptOuts } from './optOuts';

/** Both may change while other messages are sent, or while a request waits for its turn. */
export class LastCheck implements Guard {
	constructor(private readonly optOuts?: OptOuts) {}

	/** The outcome of an item that may not be sent now. @throws InputError if that is not known */
	async hold(item: ValidItem): Promise<Outcome | undefined> {
		return outsideWindow(item) ?? (await this.optOuts?.hold(item));
	}

	async guard(item: ValidItem, send: Send): Promise<Outcome> {
		const held = await this.hold(item);
		if (held) return held;
		const outcome = await send();
		const isCancelled = hasFailed(outcome) && outcome.failure.kind === 'cancelled';
		return (isCancelled && (await this.hold(item))) || outcome;
	}
}
