/** Work on the campaign log that goes on in rounds. */
import { clamp } from 'lodash';

import type { ClaimSettings } from './claim';

/** Bounds of the pause after a round, ms. A pause is as long as the round, so the table's calls leave n8n time. */
const [minPauseMs, maxPauseMs] = [50, 300];
/** Work that is repeated with pauses as long as there is some. */
export class RepeatedWork {
	private failures = 0;
	/** How long a round takes, ms. */
	private ms = 150;
	/** How long a round may take at present, ms: at least as long as the last one. */
	slowMs = this.ms;
	private working = false;
	private hurry = () => {};

	constructor(
		private readonly settings: ClaimSettings,
		private readonly hasWork: () => boolean,
		private readonly round: () => Promise<void>,
		/** Called after each round, with its error and how many rounds in a row have failed. */
		private readonly onEnd: (error: Error | undefined, failures: number) => void,
	) {}

	/** About how long something waits for the end of its round, ms. */
	get delayMs(): number {
		return this.ms + clamp(this.ms, minPauseMs, maxPauseMs) / 2;
	}

	begin(): void {
		if (!this.working) void this.run();
	}

	/** Ends the present pause. */
	skipPause(): void {
		this.hurry();
	}

	private async run(): Promise<void> {
		this.working = true;
		while (this.hasWork()) {
			const begin = this.settings.elapsed();
			const error = await this.round().then(
				() => undefined,
				(cause: Error) => cause,
			);
			const hasFailed = error !== undefined;
			this.failures = hasFailed ? this.failures + 1 : 0;
			this.onEnd(error, this.failures);
			const ms = this.settings.elapsed() - begin;
			this.ms += (ms - this.ms) / 4;
			this.slowMs = Math.max(ms, this.slowMs + (ms - this.slowMs) / 4);
			const pause = this.settings.pause(clamp(ms, hasFailed ? maxPauseMs : minPauseMs, maxPauseMs));
			const early = new Promise<void>((resolve) => (this.hurry = resolve));
			await (hasFailed ? pause : Promise.race([pause, early]));
		}
		this.working = false;
	}
}
