/** Labels of an execution, by which n8n's list of executions can be filtered, and figures for dashboards. */
import { compact, pickBy, uniq } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Operation } from '../operations/operation';
import type { Client } from '../transport/client';
import { type Item, type ValidItem, stateOf } from './item';

/** n8n cuts off longer ones. */
const maxLength = 255;

/** Labels it with its only recipient and its only campaign. */
export function labelExecution(
	{ customData }: IExecuteFunctions,
	{ recipientOf }: Operation,
	items: ValidItem[],
): void {
	if (!recipientOf || !customData) return; // older versions of n8n have none
	const labels = {
		phone: items.map(({ request }) => request.body?.to),
		campaign: items.map(({ request }) => request.rules?.campaign?.name),
	};
	for (const [key, all] of Object.entries(labels)) {
		const [value, ...others] = uniq(compact(all)).map(String);
		if (value === undefined || others.length > 0) continue;
		// The node may run once for each recipient, in a loop.
		const known = customData.get(key);
		const isKnown = `, ${known}, `.includes(`, ${value}, `);
		const both = known ? `${known}, ${value}` : value;
		if (!isKnown && both.length <= maxLength) customData.set(key, both);
	}
}

/**
 * Adds up what became of the messages of this run, in n8n's custom data and, where n8n has it (2.22), as attributes of the node's span.
 * What an earlier attempt has sent was counted by that attempt.
 */
export function reportFigures(
	context: IExecuteFunctions,
	{ recipientOf }: Operation,
	items: Item[],
	client: Client | undefined,
): void {
	if (!recipientOf) return;
	const counts = { sent: 0, skipped: 0, failed: 0, uncertain: 0 };
	for (const { outcome, hasBegun } of items) {
		const state = stateOf(outcome);
		if (state === 'leftOut') counts.skipped++;
		if (state === 'failed') counts.failed++;
		if (state === 'done' && hasBegun) counts.sent++;
		if (state === 'uncertain' && hasBegun) counts.uncertain++;
	}
	const figures = { ...counts, tooManyRequests: client?.tooManyRequests ?? 0 };
	const { customData } = context;
	// n8n keeps ten values, so zeros are left to the user's own.
	for (const [key, figure] of Object.entries(pickBy(figures)))
		customData?.set(key, String(Number(customData.get(key) ?? 0) + figure));
	const tracing: Record<string, string | number> = { ...figures };
	const campaigns = uniq(compact(items.map(({ request }) => request?.rules?.campaign?.name)));
	if (campaigns.length === 1) tracing.campaign = String(campaigns[0]);
	context.setMetadata?.({ tracing });
}
