/** Reads dates of digits, such as 5.12. or 12/31/2026. */
import { DateTime } from 'luxon';

import {
	type Context,
	type DateReading,
	dateOf,
	isPossible,
	isSoon,
	noDate,
	only,
	withoutYear,
	yearsOf,
} from './dateMeaning';
import type { Digits } from './dateTokens';
import type { DateOrder } from './replier';

/** The only possible date; several if the digits may mean several. @param weekday one that is written beside them */
export function readDigits(
	digits: Digits,
	weekday: number | undefined,
	context: Context,
): DateReading | undefined {
	const orders = ordersOf(digits, context);
	if (!orders) return undefined;
	const isOnDay = (date: string) =>
		weekday === undefined || DateTime.fromISO(date).weekday === weekday;
	const valid = orders
		.map((order) => ({ order, dates: readOrder(digits.parts, order, context).filter(isOnDay) }))
		.filter(({ dates }) => dates.length > 0);
	// With a known order, the other one counts only if there is no such day. It is not known for 5.12.2026 where people write 12/5.
	const known = knownOrder(context);
	const isKnown = digits.separator !== '.' || known === 'DMY';
	const decided = isKnown ? valid.filter(({ order }) => order === known) : [];
	const chosen = decided.length > 0 ? decided : valid;
	const possible = chosen.filter(({ dates }) => dates.some((date) => isPossible(date, context)));
	const found = only(
		possible.flatMap(({ dates }) => dates),
		context,
	);
	// What is past may have been meant. The other date counts only if people there write dates in its order.
	const own = ownOrder(context);
	const isCertain =
		possible.length === chosen.length ||
		possible.every(({ order }) => order === own || (own === 'YMD' && order !== 'DMY'));
	const hasYear = digits.parts.length > 2;
	const isNear = hasYear || found.dates.every((date) => isSoon(date, context));
	return { ...found, isClear: found.isClear && isCertain && isNear };
}

/** The order that the user has chosen. */
function knownOrder({ expected }: Context): DateOrder | undefined {
	return { ask: undefined, dayFirst: 'DMY' as const, monthFirst: 'MDY' as const }[
		expected.dateOrder
	];
}

function ownOrder(context: Context): DateOrder | undefined {
	return knownOrder(context) ?? context.customs.order;
}

/** In which orders day, month and year may be; undefined for digits that are no date, or of another calendar. */
function ordersOf(
	{ parts: [first, , third], separator, endsWithDot }: Digits,
	context: Context,
): DateOrder[] | undefined {
	const { customs } = context;
	const isComplete = first.length === 4 || third?.length === 4;
	if (!isComplete && !customs.isGregorian) return undefined;
	if (first.length === 3) return undefined;
	if (first.length === 4) return third === undefined ? undefined : ['YMD'];
	const isDayFirst = separator === '.' && ownOrder(context) === 'DMY';
	if (third === undefined) {
		// 10.30 and 5-6 may be times or ranges, unless people write dates like that
		const isUsual = separator === '/' || endsWithDot || customs.separator?.[0] === separator;
		if (!isUsual) return undefined;
		return isDayFirst ? ['DMY'] : ['DMY', 'MDY'];
	}
	if (third.length === 1) return first.length === 2 ? ['YMD'] : undefined;
	if (isDayFirst) return ['DMY'];
	return third.length === 2 && first.length === 2 ? ['DMY', 'MDY', 'YMD'] : ['DMY', 'MDY'];
}

function readOrder(parts: string[], order: DateOrder, context: Context): string[] {
	if (parts.length === 2) {
		const [day, month] = order === 'DMY' ? parts : [parts[1], parts[0]];
		return (withoutYear(Number(month), Number(day), context) ?? noDate).dates;
	}
	const [year, month, day] = ['Y', 'M', 'D'].map((sign) => parts[order.indexOf(sign)]);
	return yearsFor(year, context).flatMap((one) => dateOf(one, Number(month), Number(day)) ?? []);
}

/** As `yearsOf`, but with a past year if there is no other one, since it may have been meant. */
function yearsFor(year: string, context: Context): number[] {
	const near = yearsOf(year, context);
	if (near.length > 0) return near;
	return yearsOf(year, { ...context, expected: { ...context.expected, notBeforeToday: false } });
}
