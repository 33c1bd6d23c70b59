/** What n8n shows about a run that sends messages: labels and figures of its execution, progress, total and hints. */
import { compact, countBy, max, min, uniq, uniqBy } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import { writeLog } from '../log';
import type { Operation } from '../operations/operation';
import type { Client } from '../transport/client';
import {
	type Item,
	type ItemState,
	type Outcome,
	type SkipReason,
	type ValidItem,
	hasFailed,
	stateOf,
} from './item';
import { joinSentences } from './itemOutput';
import type { RetryRecord } from './retryRecord';

/** The greatest length of a label, characters: n8n cuts off longer ones. */
const maxLength = 255;

/** Labels the execution with its only recipient and its only campaign, to filter n8n's list of executions by them. */
export function labelExecution(
	{ customData }: IExecuteFunctions,
	{ recipientOf }: Operation,
	items: ValidItem[],
): void {
	if (!recipientOf || !customData) return; // older versions of n8n have no custom data
	const labels = {
		phone: items.map(({ request }) => request.body?.to),
		campaign: items.map(({ request }) => request.rules?.campaign?.name),
	};
	for (const [key, all] of Object.entries(labels)) {
		const [value, ...others] = uniq(compact(all)).map(String);
		if (value === undefined || others.length > 0) continue;
		// In a loop, the node may run once for each recipient.
		const known = customData.get(key);
		const isKnown = `, ${known}, `.includes(`, ${value}, `);
		const both = known ? `${known}, ${value}` : value;
		if (!isKnown && both.length <= maxLength) customData.set(key, both);
	}
}

/** Figures of a run, by the names of their custom data. */
const noFigures = { sent: 0, skipped: 0, failed: 0, uncertain: 0, tooManyRequests: 0 };
type Figures = typeof noFigures;
/** A figure in custom data. Other values with such a name are the user's. */
const figure = /^\d+$/;

/** The execution whose figures the custom data has. */
const shownOf = (context: IExecuteFunctions) =>
	context.getContext('flow') as { figuresOf?: string };

/** Resets the figures that n8n's Retry button has copied. n8n cannot delete custom data, so they become zero. */
export function resetFigures(context: IExecuteFunctions): void {
	const { customData } = context;
	const shown = shownOf(context);
	const execution = context.getExecutionId();
	if (!customData || shown.figuresOf === undefined || shown.figuresOf === execution) return;
	for (const key of Object.keys(noFigures))
		if (figure.test(customData.get(key) ?? '')) customData.set(key, '0');
	shown.figuresOf = execution;
}

/**
 * Counts the results of this run's messages, in n8n's custom data and, from n8n 2.22 on, as attributes of the node's
 * span. An earlier attempt has counted what it sent. In a run that was stopped, requests under way count as uncertain.
 */
export function reportFigures(
	context: IExecuteFunctions,
	{ recipientOf }: Operation,
	items: Item[],
	{ record, client }: { record?: RetryRecord; client?: Client },
): void {
	if (!recipientOf) return;
	const figures = { ...noFigures, tooManyRequests: client?.tooManyRequests ?? 0 };
	for (const { outcome, hasBegun } of items) {
		const state = stateOf(outcome);
		if (state === 'leftOut') figures.skipped++;
		else if (state === 'failed') figures.failed++;
		else if (hasBegun) figures[state === 'done' ? 'sent' : 'uncertain']++;
	}
	addFigures(context, record?.name ?? '', figures);
	const tracing: Record<string, string | number> = { ...figures };
	const campaigns = uniq(compact(items.map(({ request }) => request?.rules?.campaign?.name)));
	if (campaigns.length === 1) tracing.campaign = String(campaigns[0]);
	context.setMetadata?.({ tracing });
}

/** What a node has reported last; `run` is the name of its RetryRecord. */
interface Reported {
	execution: string;
	run: string;
	figures: Figures;
}

/** An item that was skipped or has failed in an earlier attempt of the same run is counted once. */
function addFigures(context: IExecuteFunctions, run: string, figures: Figures): void {
	const { customData } = context;
	if (!customData) return;
	const execution = context.getExecutionId();
	const node = context.getContext('node') as { reported?: Reported };
	const { reported } = node;
	const isSameRun = reported?.execution === execution && reported.run === run;
	const { skipped, failed } = isSameRun ? reported.figures : noFigures;
	const added = { ...figures, skipped: figures.skipped - skipped, failed: figures.failed - failed };
	for (const [key, number] of Object.entries(added)) {
		const known = customData.get(key);
		if (!figure.test(known ?? '0')) continue;
		const total = Number(known ?? 0) + number;
		// n8n keeps only ten values, so zeros are left out to leave room for the user's own values.
		if (total > 0 || known !== undefined) customData.set(key, String(total));
	}
	shownOf(context).figuresOf = execution;
	node.reported = { execution, run, figures };
}

/** The number of messages between two lines of the log: at least this many, and at least this part of the run. */
const minStep = 100;
const maxLines = 20;

/**
 * Writes the progress of a long run to n8n's log, because n8n shows nothing of a node before it ends. No line contains
 * anything from a message. Call the returned function after each message.
 */
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
		const minutes = ((performance.now() - start) * (total / done - 1)) / 60_000;
		const about = minutes < 1 ? 'less than 1' : `about ${Math.ceil(minutes)}`;
		const left = isLast ? '' : `, ${about} min left`;
		writeLog(
			context,
			`${run}: ${done} of ${total} messages (${failed} failed, ${skipped} skipped)${left}`,
			'info',
		);
	};
}

/** The greatest number of hints; more would hide the output. */
const maxHints = 10;

/** Shows the total of the messages above the output, then each hint once, first those about all items. */
export function addHints(
	context: IExecuteFunctions,
	{ recipientOf, waits }: Operation,
	items: Item[],
	{
		client,
		isPreview = false,
		warnings = [],
	}: { client?: Client; isPreview?: boolean; warnings?: string[] },
): void {
	const add = (type: 'info' | 'warning', message: string) =>
		context.addExecutionHints({ message, location: 'outputPane', type });
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	const hasTotal = recipientOf !== undefined && (isPreview || !waits);
	const total = hasTotal ? totalOf(items, { isPreview, hasErrorOutput }) : undefined;
	if (total) add('info', total);
	const failed = items.filter(({ outcome }) => hasFailed(outcome)).length;
	if (!recipientOf && failed > 0 && items.length > 1)
		add(
			'warning',
			`${failed} of ${items.length} items have failed (see ${hasErrorOutput ? 'the error output' : 'error'}).`,
		);
	if (
		isPreview &&
		!context.continueOnFail() &&
		items.some(({ outcome }) => stateOf(outcome) === 'failed')
	)
		add('warning', stopsSend);
	const excluded = excludedOf(items);
	if (excluded) add('info', excluded);
	if (isPreview && !waits && sendsToSeveral(items)) add('info', withoutSendOnce);
	const ofItems = items.flatMap(({ request }) => request?.hints ?? []);
	const all = uniq([...warnings, ...(client?.hints ?? []), ...ofItems]);
	const hidden = all.length - maxHints;
	const more = hidden === 1 ? '1 more hint is' : `${hidden} more hints are`;
	for (const message of all.slice(0, maxHints)) add('warning', message);
	if (hidden > 0) add('warning', `${more} not shown.`);
}

const stopsSend =
	"If an item cannot be sent, no message is sent at all. To list such items, add a Filter node: sendStatus is equal to notSent. Correct them, or set 'On Error' in the settings of the node to 'Continue': then the others are sent.";

const withoutSendOnce =
	"'Send Once' is off: nobody is left out because of the table Opt-outs, or because they got this message in an earlier execution.";

/** Whether messages without Send Once go to several people, as those of a campaign do. */
function sendsToSeveral(items: Item[]): boolean {
	const sent = items.filter(({ outcome }) => stateOf(outcome) === 'done');
	const isGuarded = ({ request: { rules } = {} }: Item) =>
		rules?.campaign !== undefined || rules?.audience?.excludesOptOuts === true;
	const unguarded = sent.filter((item) => !isGuarded(item));
	return uniqBy(unguarded, ({ request }) => request?.body?.to).length > 1;
}

/** How many numbers the rule Exclude Numbers has: with a mistyped column it has fewer than its table. */
function excludedOf(items: Item[]): string | undefined {
	const sizes = items.flatMap(({ request }) => request?.rules?.audience?.excluded?.size ?? []);
	const [least, most] = [min(sizes), max(sizes)];
	if (least === undefined || most === undefined) return undefined;
	const range = least === most ? `${most}` : `${least} to ${most}`;
	return `'Exclude Numbers' has ${range} ${most === 1 ? 'number' : 'numbers'}.`;
}

interface MessageRun {
	isPreview: boolean;
	hasErrorOutput: boolean;
}

type ResultKind = Exclude<ItemState, 'pending' | 'leftOut'> | SkipReason;

/** E.g. "Preview: nothing was sent. 22 would be sent, 2 duplicates, 4 cannot be sent (see reason)." */
function totalOf(items: Item[], run: MessageRun): string | undefined {
	if (!run.isPreview && items.length < 2) return undefined; // the item says the same
	const counts = countBy(items, kindOf);
	const isTest = items.some(({ request }) => request?.rules?.test);
	const found = Object.entries(phrasesOf(run, isTest))
		.filter(([kind]) => kind === 'done' || counts[kind] > 0)
		.map(([kind, phrase]) => {
			const count = counts[kind] ?? 0;
			return `${count} ${count === 1 ? phrase.replace('duplicates', 'duplicate') : phrase}`;
		});
	const total = `${run.isPreview ? 'Preview: nothing was sent. ' : ''}${found.join(', ')}.`;
	const reason = commonReason(items);
	if (reason !== undefined) return `${total} All for the same reason: ${reason}`;
	return counts.alreadySent === items.length
		? `${total} To write to them again, use another name in 'Campaign'.`
		: total;
}

/** Why all items have failed, if it is one reason. Then it is probably a setting of the node. */
function commonReason(items: Item[]): string | undefined {
	const failures = items.flatMap(({ outcome }) =>
		outcome && hasFailed(outcome) && stateOf(outcome) === 'failed' ? outcome.failure : [],
	);
	const [first, ...others] = uniqBy(failures, 'message');
	if (failures.length < Math.max(2, items.length) || others.length > 0) return undefined;
	return joinSentences(first.message, first.description).replace(/(?<=[^.])$/, '.');
}

function kindOf({ outcome }: Item): ResultKind {
	if (!outcome || hasFailed(outcome) || !outcome.isLeftOut) return stateOf(outcome) as ResultKind;
	return outcome.records[0].reason as SkipReason;
}

/** The phrase for each kind of result, in the order in which the line shows them. */
function phrasesOf({ isPreview, hasErrorOutput }: MessageRun, isTest: boolean) {
	const sent = isTest ? 'sent to the test number' : 'sent';
	const failed = isPreview ? 'cannot be sent' : 'not sent';
	const phrases: Record<ResultKind, string> = {
		done: isPreview ? 'would be sent' : sent,
		duplicate: 'duplicates',
		optedOut: 'opted out',
		excluded: 'excluded',
		outsideSendWindow: 'must wait (see sendAfter)',
		frequencyCap: 'over the Frequency Cap',
		limit: 'over Maximum Recipients',
		alreadySent: 'already sent earlier',
		mayHaveBeenSent: 'may have been sent earlier',
		notInTest: 'not in the test',
		uncertain: 'may have been sent',
		failed: `${failed} (see ${hasErrorOutput ? 'the error output' : 'reason'})`,
	};
	return phrases;
}
