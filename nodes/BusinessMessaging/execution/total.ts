/** What became of the messages of a run in one line, which n8n shows above the output. */
import { countBy } from 'lodash';

import { type Item, type ItemState, type SkipReason, hasFailed, stateOf } from './item';

/** What a run does with its messages. */
interface MessageRun {
	isPreview: boolean;
	/** Whether failed items go to the error output. */
	hasErrorOutput: boolean;
}

/** What became of a message. */
type ResultKind = Exclude<ItemState, 'pending' | 'leftOut'> | SkipReason;

/**
 * The total of a run that sends messages, e.g. "Preview: nothing was sent. 22 would be sent, 2 duplicates, 4 cannot be sent (see reason)."
 *
 * @returns undefined for a single message that is not only shown: its item says the same
 */
export function totalOf(items: Item[], run: MessageRun): string | undefined {
	if (!run.isPreview && items.length < 2) return undefined;
	const counts = countBy(items, kindOf);
	const isTest = items.some(({ request }) => request?.rules?.test);
	const found = Object.entries(phrasesOf(run, isTest))
		.filter(([kind]) => kind === 'done' || counts[kind] > 0)
		.map(([kind, phrase]) => {
			const count = counts[kind] ?? 0;
			return `${count} ${count === 1 ? phrase.replace('duplicates', 'duplicate') : phrase}`;
		});
	return `${run.isPreview ? 'Preview: nothing was sent. ' : ''}${found.join(', ')}.`;
}

function kindOf({ outcome }: Item): ResultKind {
	if (!outcome || hasFailed(outcome) || !outcome.isLeftOut) return stateOf(outcome) as ResultKind;
	return outcome.records[0].reason as SkipReason;
}

/** In the order of the line. */
function phrasesOf({ isPreview, hasErrorOutput }: MessageRun, isTest: boolean) {
	const sent = isTest ? 'sent to the test number' : 'sent';
	const failed = isPreview ? 'cannot be sent' : 'not sent';
	const phrases: Record<ResultKind, string> = {
		done: isPreview ? 'would be sent' : sent,
		duplicate: 'duplicates',
		excluded: 'excluded',
		outsideSendWindow: 'outside the Send Window',
		frequencyCap: 'over the Frequency Cap',
		alreadySent: 'already sent earlier',
		mayHaveBeenSent: 'may have been sent earlier',
		historyCleared: 'skipped to clear the history',
		notInTest: 'not in the test',
		uncertain: 'may have been sent',
		failed: `${failed} (see ${hasErrorOutput ? 'the error output' : 'reason'})`,
	};
	return phrases;
}
