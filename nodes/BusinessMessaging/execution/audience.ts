/** Audience Rules: decides before the first message goes out who does not get one. */
import { attempt, isError, uniq } from 'lodash';

import { endpoints } from '../api/endpoints';
import { asText } from '../api/read';
import { BoundedMap } from '../boundedMap';
import type { SendWindow } from '../operations/message/audience';
import { recipientOf } from '../operations/phone';
import { samePhoneKey } from '../phone/compare';
import { timeZonesOf } from '../phone/timeZones';
import type { Client } from '../transport/client';
import { InputError, ServiceError, asFailure } from '../transport/errors';
import { readRecords } from '../transport/lists';
import { type Outcome, type ValidItem, isPending, skip } from './item';
import { nextClosing, nextOpening } from './sendWindow';

/**
 * Gives an outcome to items that are left out, and a failure to items that break a rule.
 *
 * @param items all valid ones; those that were or may have been sent in an earlier attempt only count as duplicates
 * @throws ServiceError if the contacts of an excluded segment cannot be listed, or not all of them
 */
export async function applyAudienceRules(client: Client, items: ValidItem[]): Promise<void> {
	for (const item of items)
		if (item.index >= (item.request.test?.testMessages ?? Infinity))
			item.outcome ??= skip(item, 'notInTest');
	const ruled = items.filter(({ request }) => request.audience);
	if (!ruled.some(isPending)) return;
	const segments = await readSegments(client, ruled);
	const firstOf = new Map<string, number>();
	for (const item of ruled) {
		const person = recipientOf(item.request);
		const first = firstOf.get(person);
		if (first === undefined) firstOf.set(person, item.index);
		if (item.outcome) continue;
		try {
			item.outcome = leaveOut(item, person, first, segments);
		} catch (error) {
			item.outcome = { failure: asFailure(error) };
		}
	}
}

/** The phones of the contacts in each segment. */
type Segments = Map<string, Set<string>>;

/**
 * The outcome of an item that is left out; undefined for one that is not.
 *
 * @param first the item before it with the same recipient
 * @throws InputError
 */
function leaveOut(
	item: ValidItem,
	person: string,
	first: number | undefined,
	segments: Segments,
): Outcome | undefined {
	const { audience } = item.request;
	if (!audience) return undefined;
	const { duplicates, excluded, excludedSegment } = audience;
	if (first !== undefined && duplicates === 'stop')
		throw new InputError(
			`The recipient is the same as that of item ${first}`,
			"Remove one of the two, or change 'Duplicates' in 'Audience Rules'.",
		);
	if (first !== undefined && duplicates === 'sendFirst') return skip(item, 'duplicate');
	if (excluded.has(person) || segments.get(excludedSegment)?.has(person))
		return skip(item, 'excluded');
	return outsideWindow(item);
}

/** The outcome of an item whose recipient may not be written to now. @throws InputError */
export function outsideWindow(item: ValidItem): Outcome | undefined {
	const { audience, body } = item.request;
	if (!audience?.window) return undefined;
	const { zone } = audience.window;
	const zones = zone ? [zone] : timeZonesOf(asText(body?.to));
	const opening = openingOf(audience.window, zones);
	if (!opening) return undefined;
	const timeZones = zones.length > maxShownZones ? `${zones.length} time zones` : zones.join(', ');
	return skip(item, 'outsideSendWindow', { ...opening, timeZones });
}

/** More are only counted: a toll-free number of +1 may be in 30. */
const maxShownZones = 5;

const minuteMs = 60_000;
/** What was found for windows in time zones at a minute: it takes up to a second, and is the same for thousands of items. */
const openings = new BoundedMap<string, Opening | undefined | Error>({ maxSize: 1_000 });

/** From when to when messages may go out next, ISO 8601. */
interface Opening {
	sendAfter: string;
	/** null if the window stays open for a week. */
	sendBefore: string | null;
}

/** See {@link nextOpening}. @returns undefined for now @throws InputError */
function openingOf(window: SendWindow, zones: string[]): Opening | undefined {
	const now = Math.floor(Date.now() / minuteMs) * minuteMs;
	const key = JSON.stringify([now, window, zones]);
	const toText = (time: number) => new Date(time).toISOString();
	const find = (): Opening | undefined => {
		const opens = nextOpening(window, zones, now);
		if (opens === undefined) return undefined;
		const closes = nextClosing(window, zones, opens);
		return { sendAfter: toText(opens), sendBefore: closes === undefined ? null : toText(closes) };
	};
	const opening = openings.getOrSet(key, () => attempt(find));
	if (isError(opening)) throw opening;
	return opening;
}

/** @throws ServiceError if the contacts cannot be listed, or not all of them, or show no phone number */
async function readSegments(client: Client, items: ValidItem[]): Promise<Segments> {
	const names = uniq(items.map(({ request }) => request.audience?.excludedSegment ?? ''));
	const segments: Segments = new Map();
	for (const segment of names.filter(Boolean)) {
		const list = await readRecords(client, endpoints.listContacts, { query: { segment } });
		// A person who is missing in the list would get the message.
		if (list.gap) throw list.gap;
		const phones = list.records.map(({ phone }) => samePhoneKey(asText(phone)));
		const isNumber = (phone: string) => phone.startsWith('+');
		if (phones.length > 0 && !phones.some(isNumber))
			throw new ServiceError(`The contacts of the segment "${segment}" show no phone number`, {
				kind: 'configuration',
				description: "Use 'Exclude Numbers' in 'Audience Rules' instead.",
			});
		if (phones.length === 0)
			client.hints.add(`The segment "${segment}" has no contacts, so nobody was excluded by it.`);
		if (!phones.every(isNumber))
			client.hints.add(
				`Some contacts of the segment "${segment}" have no phone number with country code, so they were not excluded.`,
			);
		segments.set(segment, new Set(phones));
	}
	return segments;
}
