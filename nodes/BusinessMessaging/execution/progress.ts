/** Says in n8n's log how far a long run is: n8n shows nothing of a node before it ends. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { writeLog } from '../log';
import { type Outcome, hasFailed } from './item';

/** Between two lines of the log: so many messages, and at least this part of the run. */
const minStep = 100;
const maxLines = 20;

/** @returns what to call after each message of the run. No line holds anything of a message */
export function logProgress(context: IExecuteFunctions, total: number): (outcome: Outcome) => void {
	const run = `Workflow "${context.getWorkflow().name}", execution ${context.getExecutionId()}, node "${context.getNode().name}"`;
	const step = Math.max(minStep, Math.ceil(total / maxLines));
	const start = performance.now();
	let [done, failed, skipped] = [0, 0, 0];
	return (outcome) => {
		done++;
		if (hasFailed(outcome)) failed++;
		else if (outcome.isLeftOut) skipped++;
		const isLast = done === total && total >= minStep;
		if (done % step !== 0 && !isLast) return;
		const minutes = Math.ceil(((performance.now() - start) * (total / done - 1)) / 60_000);
		const left = isLast ? '' : `, about ${minutes} min left`;
		writeLog(
			context,
			'info',
			`${run}: ${done} of ${total} messages (${failed} failed, ${skipped} skipped)${left}`,
		);
	};
}
