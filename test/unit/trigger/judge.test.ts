/** Which events of one delivery start workflows, once it is known which messages are replies to Send and Wait. */
import type { IWebhookFunctions } from 'n8n-workflow';

import type { Verdict } from '../../../nodes/BusinessMessaging/inbox/core';
import type { Incoming } from '../../../nodes/BusinessMessaging/trigger/admit';
import { withoutReplies } from '../../../nodes/BusinessMessaging/trigger/judge';
import { arrivalOf } from '../inbox/parts';

const context = {
	logger: { warn: () => undefined },
	getWorkflow: () => ({}),
} as unknown as IWebhookFunctions;
const verdicts: Record<string, Verdict> = {
	reply: { is: 'taken' },
	STOP: { is: 'taken', startsToo: true },
	ordinary: { is: 'ordinary' },
};
/** An event: a receipt, or a message with this text. */
const eventOf = (name: string) =>
	({
		name,
		...(name in verdicts && { arrival: arrivalOf({ text: name }) }),
	}) as unknown as Incoming;

test.each<[events: string[], starting: string[]]>([
	[
		['receipt', 'reply', 'ordinary'],
		['receipt', 'ordinary'],
	],
	[
		['reply', 'receipt', 'STOP', 'reply', 'receipt', 'ordinary'],
		['receipt', 'STOP', 'receipt', 'ordinary'],
	],
	[
		['receipt', 'receipt'],
		['receipt', 'receipt'],
	],
	[['reply'], []],
])('of %j, %j start workflows', async (events, starting) => {
	const judge = {
		concerns: () => false,
		judge: async (arrivals: Array<{ text?: string | null }>) =>
			arrivals.map(({ text }) => verdicts[String(text)]),
	};
	const left = await withoutReplies(context, judge, events.map(eventOf));
	expect(left.map((event) => (event as unknown as { name: string }).name)).toEqual(starting);
});

test.each([
	['it is not known what a message is', async () => undefined],
	['the inbox is busy', async () => 'busy' as const],
	['the inbox cannot be asked', async () => await Promise.reject(new Error('away'))],
])('if %s, the service has to deliver everything again', async (_, judge) => {
	const events = ['receipt', 'ordinary'].map(eventOf);
	const left = withoutReplies(context, { concerns: () => false, judge }, events);
	await expect(left).rejects.toMatchObject({ status: 503 });
});
