/** Labels of an execution, by which n8n's list of executions can be filtered. */
import { compact, uniq } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Operation } from '../operations/operation';
import type { ValidItem } from './item';

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
		campaign: items.map(({ request }) => request.campaign?.name),
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
