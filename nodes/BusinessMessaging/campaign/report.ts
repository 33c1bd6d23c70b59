/** The figures of campaigns, by variant. */
import { groupBy, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { type CampaignMessage, isSent, isUncertain, onePerPerson } from './messages';
import { clearOnes, fisherExact, percentOf } from './significance';

/** What is compared, with the words of a sentence. */
const compared = {
	delivered: 'was delivered to',
	read: 'was read by',
	replied: 'got a reply from',
	failed: 'failed for',
	optedOut: 'made opt out',
} as const;

type Figure = keyof typeof compared;

interface Figures extends Record<Figure, number> {
	campaign: string;
	variant: string;
	people: number;
	sent: number;
	uncertain: number;
	notSent: number;
}

/** Whether the service had accepted the message, also if it could not deliver it later. */
const wasSent = (message: CampaignMessage) => isSent(message) || message.failedAt !== undefined;

/** An item for each campaign and variant; a campaign's variants are compared. */
export function reportOf(messages: CampaignMessage[]): IDataObject[] {
	const campaigns = groupBy(onePerPerson(messages), 'campaign');
	return Object.values(campaigns).flatMap((all) => {
		const variants = sortBy(Object.values(groupBy(all, 'variant')).map(figuresOf), 'variant');
		const difference = compare(variants);
		return variants.map((figures) => ({
			...figures,
			...Object.fromEntries(
				Object.keys(compared).map((figure) => [
					`${figure}Percent`,
					percentOf(figures[figure as Figure], figures.sent),
				]),
			),
			difference,
		}));
	});
}

function figuresOf(messages: CampaignMessage[]): Figures {
	const count = (condition: (message: CampaignMessage) => boolean) =>
		messages.filter(condition).length;
	const [{ campaign, variant }] = messages;
	return {
		campaign,
		variant,
		people: messages.length,
		sent: count(wasSent),
		// Services may leave out a receipt that a later one implies.
		delivered: count((one) => Boolean(one.deliveredAt ?? one.readAt ?? one.repliedAt)),
		read: count((one) => Boolean(one.readAt)),
		replied: count((one) => Boolean(one.repliedAt)),
		failed: count((one) => Boolean(one.failedAt) && !one.deliveredAt && !one.readAt),
		optedOut: count((one) => Boolean(one.optedOutAt)),
		uncertain: count(isUncertain),
		notSent: count((one) => one.status === 'notSent' && !one.failedAt),
	};
}

/**
 * Which differences between variants are clear, all comparisons together at 1 %; null with only one variant. Messages
 * without a variant, e.g. tests, are compared only if there is no other variant: each comparison makes all others harder.
 */
function compare(all: Figures[]): string | null {
	const named = all.filter(({ variant }) => variant !== '');
	const variants = named.length > 1 ? named : all;
	const pairs = variants.flatMap((one, index) =>
		variants.slice(index + 1).map((other) => [one, other] as const),
	);
	if (pairs.length === 0) return null;
	const comparisons = pairs.flatMap(([one, other]) =>
		(Object.keys(compared) as Figure[]).map((figure) => ({ one, other, figure })),
	);
	const chances = comparisons.map(({ one, other, figure }) =>
		fisherExact(
			{ count: Math.min(one[figure], one.sent), of: one.sent },
			{ count: Math.min(other[figure], other.sent), of: other.sent },
		),
	);
	const clear = clearOnes(chances);
	const sentences = comparisons.filter((_, index) => clear[index]).map(sentenceOf);
	return sentences.length > 0
		? [...sentences, ...(clear.every(Boolean) ? [] : ['No other difference is clear.'])].join(' ')
		: 'No difference is clear: chance alone may give such differences in more than 1 of 100 campaigns.';
}

function sentenceOf({ one, other, figure }: { one: Figures; other: Figures; figure: Figure }) {
	const rate = (figures: Figures) => figures[figure] / figures.sent;
	const [more, less] = rate(one) > rate(other) ? [one, other] : [other, one];
	const percent = (figures: Figures) => `${percentOf(figures[figure], figures.sent)} %`;
	const name = ({ variant }: Figures) => (variant === '' ? 'No variant' : `Variant ${variant}`);
	return `${name(more)} ${compared[figure]} clearly more people than ${name(less).replace(/^./, (letter) => letter.toLowerCase())} (${percent(more)} and ${percent(less)}).`;
}
