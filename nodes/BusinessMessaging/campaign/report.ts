/** The figures of campaigns, by variant. */
import { groupBy, mapValues, pick, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { mapInTurns } from '../yieldToN8n';
import { type CampaignMessage, mayHaveBeenSent, onePerPerson, wasSent } from './messages';
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

/** An item for each campaign and variant; a campaign's variants are compared. */
export async function reportOf(messages: CampaignMessage[]): Promise<IDataObject[]> {
	const campaigns = Object.values(groupBy(await figuresOf(messages), 'campaign'));
	return campaigns.flatMap((figuresOfVariants) => {
		const variants = sortBy(figuresOfVariants, 'variant');
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

/** What is counted. */
const counted: Record<
	Exclude<keyof Figures, 'campaign' | 'variant'>,
	(one: CampaignMessage) => boolean
> = {
	people: () => true,
	sent: wasSent,
	// Services may leave out a receipt that a later one implies.
	delivered: (one) => wasSent(one) && Boolean(one.deliveredAt ?? one.readAt ?? one.repliedAt),
	read: (one) => Boolean(one.readAt),
	replied: (one) => wasSent(one) && Boolean(one.repliedAt),
	failed: (one) => Boolean(one.failedAt) && !one.deliveredAt && !one.readAt,
	optedOut: (one) => wasSent(one) && Boolean(one.optedOutAt),
	uncertain: mayHaveBeenSent,
	notSent: (one) => one.status === 'notSent' && !wasSent(one),
};

/** The figures of each campaign and variant. */
async function figuresOf(messages: CampaignMessage[]): Promise<Figures[]> {
	const people = await onePerPerson(messages);
	const groups = groupBy(people, ({ campaign, variant }) => `${campaign}\n${variant}`);
	return await mapInTurns(Object.values(groups), (group) => ({
		...pick(group[0], ['campaign', 'variant']),
		...mapValues(counted, (condition) => group.filter(condition).length),
	}));
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
	return `${name(more)} ${compared[figure]} a clearly larger share of people than ${name(less).replace(/^./, (letter) => letter.toLowerCase())} (${percent(more)} and ${percent(less)}).`;
}
