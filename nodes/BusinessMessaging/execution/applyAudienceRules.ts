/** Audience Rules: decides before the first message goes out who does not get one. */
import { DateTime } from 'luxon';
import { attempt, compact, every, groupBy, isEmpty, isError, map, uniq } from 'lodash';

import { endpoints } from '../api/endpoints';
import { mapInTurns } from '../yieldToN8n';
import { quoted, textOrJson } from '../jsonValues';
import { BoundedMap } from '../boundedMap';
import { type Audience, type SendWindow, readNumbers } from '../operations/sending/audienceRules';
import { recipientOf } from '../operations/phoneFields';
import { isPhoneKey, samePhoneKey } from '../phone/compare';
import { readPhone } from '../phone/readPhone';
import { timeZonesOf } from '../phone/timeZones';
import type { Client } from '../transport/client';
import { InputError, ServiceError, asFailure } from '../transport/errors';
import { readRecords } from '../transport/lists';
import {
	type Outcome,
	type ValidItem,
	hasFailed,
	hasNotFailed,
	inState,
	skip,
	stateOf,
} from './item';
import { RecipientLimit } from './recipientLimit';
import type { Rounds } from './rounds';
import { nextClosing, nextOpening } from './sendWindow';

/**
 * Gives an outcome to items that are left out, and a failure to items that break a rule.
 *
 * @returns the rule that depends on what goes out, if there is one
 * @throws InputError if a rule cannot be checked, or an excluded segment has no contacts: its name is probably mistyped
 * @throws ServiceError if not all contacts of an excluded segment can be listed, or none has a number that can be read
 */
export async function applyAudienceRules(
	client: Client,
	items: ValidItem[],
	rounds: Rounds,
): Promise<RecipientLimit | undefined> {
	limitTest(items, rounds);
	leaveOutOptedOut(items);
	const all = items.filter(({ request }) => request.rules?.audience);
	if (all.some(inState('pending'))) await applyRules(client, all, rounds);
	await leaveOutRepeats(items);
	return RecipientLimit.of(items, rounds);
}

/** @throws InputError, ServiceError: see {@link applyAudienceRules} */
async function applyRules(client: Client, all: ValidItem[], rounds: Rounds): Promise<void> {
	await readExcludedNumbers(all.filter(inState('pending')));
	const ruled = all.filter(hasNotFailed);
	checkDuplicates(ruled, rounds);
	const segments = await readSegments(client, ruled);
	// An item that an earlier attempt has sent, or may have sent, counts as the first one of its person.
	const reached = ruled.filter(inState('done', 'uncertain'));
	const firstOf = new Map(reached.map((item) => [recipientOf(item.request), item]));
	const lastOf = new Map<string, ValidItem>();

	/** The item goes out, is left out, or stands by for the last item of its person that goes out. */
	const decideOn = (item: ValidItem, person: string, first?: ValidItem): void => {
		const isFirst = !first && !rounds.hasEarlier(person);
		const repeat = isFirst ? undefined : repeated(item, first?.index);
		const last = lastOf.get(person);
		const leaves = repeat && attempt(leaveOut, item, person, segments) !== undefined;
		if (!leaves) {
			if (repeat && last) last.instead = item;
			lastOf.set(person, item);
		}
		item.outcome = repeat ?? leaveOut(item, person, segments);
	};

	await mapInTurns(ruled, (item) => {
		const person = recipientOf(item.request);
		const first = firstOf.get(person);
		if (!first) firstOf.set(person, item);
		if (item.outcome) return;
		try {
			decideOn(item, person, first);
		} catch (error) {
			item.outcome = { failure: asFailure(error) };
		}
	});
}

/** Records the recipients of the items that this round handles. */
export async function rememberRecipients(items: ValidItem[], rounds: Rounds): Promise<void> {
	// A later round sends outside the window of this one. Of duplicates, the first item decides.
	const putOff: unknown[] = ['outsideSendWindow', 'duplicate'];
	const isPutOff = ({ outcome }: ValidItem) =>
		outcome !== undefined && !hasFailed(outcome) && putOff.includes(outcome.records[0]?.reason);
	const theirs = items.filter((item) => item.request.rules?.audience && !isPutOff(item));
	await mapInTurns(theirs, ({ request }) => rounds.add(recipientOf(request)));
}

/** Send Once: of several items with one recipient and campaign, only the first is sent, or the next if it is refused. */
async function leaveOutRepeats(items: ValidItem[]): Promise<void> {
	const lastOf = new Map<string, ValidItem>();
	await mapInTurns(items, (item) => {
		const { campaign } = item.request.rules ?? {};
		if (!campaign || stateOf(item.outcome) === 'leftOut') return;
		const key = `${recipientOf(item.request)} ${campaign.name}`;
		const last = lastOf.get(key);
		lastOf.set(key, item);
		if (!last || item.outcome) return;
		last.instead ??= item;
		item.outcome = skip(item, 'duplicate');
	});
}

/** Send and Wait: an item whose person has written STOP to an earlier question, as the output of that question says. */
function leaveOutOptedOut(items: ValidItem[]): void {
	for (const item of items.filter(inState('pending')))
		if (item.request.rules?.question && item.input.optedOut === true)
			item.outcome = skip(item, 'optedOut', { optedOut: true }); // for the question after this one
}

/** Leaves out items that are not among the first ones of a test, counted over all rounds of a loop. @throws InputError */
function limitTest(items: ValidItem[], rounds: Rounds): void {
	if (!items.some(({ request }) => request.rules?.test)) return;
	rounds.checkKept("'Number of Test Messages'");
	const before = rounds.test();
	for (const item of items)
		if (before + item.index >= (item.request.rules?.test?.testMessages ?? Infinity))
			item.outcome ??= skip(item, 'notInTest');
}

/** @throws InputError if duplicates may be in another round, where the rule does not see them */
function checkDuplicates(items: ValidItem[], rounds: Rounds): void {
	const has = (value: Audience['duplicates']) =>
		items.some(({ request }) => request.rules?.audience?.duplicates === value);
	if (has('sendFirst')) rounds.checkKept("'Send First'");
	if (has('stop')) rounds.checkComplete("'Stop With Error'");
}

/** Reads *Exclude Numbers*; all items usually have the same list. An item whose list cannot be read has failed. */
async function readExcludedNumbers(items: ValidItem[]): Promise<void> {
	const countryOf = ({ request }: ValidItem) => request.rules?.audience?.country;
	for (const [country, ofCountry] of Object.entries(groupBy(items, countryOf))) {
		const lists = new Map<string, Set<string> | ServiceError>();
		for (const item of ofCountry) {
			const { audience } = item.request.rules ?? {};
			if (audience?.excludeNumbers === undefined) continue;
			const written = audience.excludeNumbers;
			const list = lists.get(written) ?? (await readNumbers(written, country).catch(asFailure));
			lists.set(written, list);
			if (list instanceof ServiceError) item.outcome = { failure: list };
			else audience.excluded = list;
		}
	}
}

/** The phones of the contacts in each segment, as `samePhoneKey` gives them. */
type Segments = Map<string, Set<string>>;

/** @param first the index of the earlier item with the same recipient, if it is in the same round @throws InputError */
function repeated(item: ValidItem, first: number | undefined): Outcome | undefined {
	const { duplicates } = item.request.rules?.audience ?? {};
	if (duplicates === 'sendFirst') return skip(item, 'duplicate');
	if (duplicates !== 'stop') return undefined;
	if (first === undefined)
		throw new InputError(
			'The recipient is the same as in an earlier run of this node',
			"To allow this, change 'Duplicates' in 'Audience Rules'.",
		);
	throw new InputError(
		`The recipient is the same as in item ${first}`,
		"Remove one of the two items, or change 'Duplicates' in 'Audience Rules'.",
	);
}

/** The outcome of an item whose recipient is excluded or may not be written to now. @throws InputError */
function leaveOut(item: ValidItem, person: string, segments: Segments): Outcome | undefined {
	const { excluded, excludedSegment } = item.request.rules?.audience ?? {};
	const isInSegment = segments.get(excludedSegment ?? '')?.has(person);
	return excluded?.has(person) || isInSegment ? skip(item, 'excluded') : outsideWindow(item);
}

/** The outcome of an item whose recipient may not be written to now. @throws InputError */
export function outsideWindow(item: ValidItem): Outcome | undefined {
	const { rules, body } = item.request;
	const { window, notBefore } = rules?.audience ?? {};
	if (!window && notBefore === undefined) return undefined;
	const zones = window?.zone ? [window.zone] : timeZonesOf(textOrJson(body?.to));
	const start = startOf(notBefore, zones);
	const opening = window ? openingOf(window, zones, start) : startAt(start, zones);
	if (!opening) return undefined;
	const timeZones = zones.length > maxShownZones ? `${zones.length} time zones` : zones.join(', ');
	return skip(item, 'outsideSendWindow', { ...opening, timeZones });
}

/** If there are more time zones, they are only counted: a toll-free number of +1 may be in 75. */
const maxShownZones = 5;

const minuteMs = 60_000;
/** By minute, window and time zones. Finding a result takes up to 50 ms, and thousands of items have the same one. */
const openings = new BoundedMap<string, Opening | undefined | Error>({ maxSize: 1_000 });

/** When messages may go out next, ISO 8601; `sendBefore` is null if the window then stays open for a week. */
interface Opening {
	sendAfter: string;
	sendBefore: string | null;
}

/** In the person's time zone. If there are several, in the first one. */
const toText = (time: number, [zone]: string[]) =>
	String(DateTime.fromMillis(time, { zone }).toISO({ suppressMilliseconds: true }));

/** The earliest time at which it is *Not Before* in all time zones, ms; now if that is over. @throws InputError */
function startOf(notBefore: string | undefined, zones: string[]): number {
	if (notBefore === undefined) return Date.now();
	const times = zones.map((zone) => DateTime.fromISO(notBefore, { zone }).toMillis());
	if (times.length > 0) return Math.max(Date.now(), ...times);
	throw new InputError(
		'The time zone of this phone number is not known',
		"Remove 'Not Before' for this item, or add 'Send Window' and set its 'Time Zone'.",
	);
}

const startAt = (start: number, zones: string[]): Opening | undefined =>
	start > Date.now() ? { sendAfter: toText(start, zones), sendBefore: null } : undefined;

/** See {@link nextOpening}. @param start ms @returns undefined for now @throws InputError */
function openingOf(window: SendWindow, zones: string[], start: number): Opening | undefined {
	const isLater = start > Date.now();
	const from = Math.floor(start / minuteMs) * minuteMs;
	const key = JSON.stringify([from, isLater, window, zones]);
	const find = (): Opening | undefined => {
		const opens = nextOpening(window, zones, from) ?? (isLater ? start : undefined);
		if (opens === undefined) return undefined;
		const closes = nextClosing(window, zones, opens);
		const sendBefore = closes === undefined ? null : toText(closes, zones);
		return { sendAfter: toText(opens, zones), sendBefore };
	};
	const opening = openings.getOrSet(key, () => attempt(find));
	if (isError(opening)) throw opening;
	return opening;
}

/** @throws InputError, ServiceError: see {@link applyAudienceRules} */
async function readSegments(client: Client, items: ValidItem[]): Promise<Segments> {
	const all = compact(items.map(({ request }) => request.rules?.audience));
	const excluding = all.filter(({ excludedSegment }) => excludedSegment !== '');
	const segments: Segments = new Map();
	for (const [segment, rules] of Object.entries(groupBy(excluding, 'excludedSegment'))) {
		const list = await readRecords(client, endpoints.listContacts, { query: { segment } });
		const name = quoted(segment);
		// If the list is incomplete, a person who is missing in it would get the message.
		if (list.shortfall)
			throw new InputError(
				list.shortfall.message,
				`${list.shortfall.description} Use 'Exclude Numbers' instead of 'Exclude Segment'.`,
			);
		const countries = uniq(map(rules, 'country'));
		const phones = await mapInTurns(list.records, ({ phone }) =>
			phonesOf(textOrJson(phone), countries),
		);
		if (phones.length > 0 && phones.every(isEmpty))
			throw new ServiceError(
				`No contact of the segment "${name}" has a phone number with country code`,
				{ kind: 'configuration', description: `${forLocalNumbers} Or use 'Exclude Numbers'.` },
			);
		if (phones.length === 0 && !every(rules, 'allowsEmptyList'))
			throw new InputError(
				`The segment "${name}" of 'Exclude Segment' has no contacts`,
				"Correct its name. If nobody has opted out yet, switch on 'Allow Empty List' in 'Audience Rules'.",
			);
		if (phones.length === 0)
			client.hints.add(`The segment "${name}" has no contacts, so nobody was excluded by it.`);
		if (phones.some(isEmpty))
			client.hints.add(
				`Some contacts of the segment "${name}" have no phone number with country code, so they were not excluded. ${forLocalNumbers}`,
			);
		segments.set(segment, new Set(phones.flat()));
	}
	return segments;
}

const forLocalNumbers = "For local numbers, set 'Default Country' under 'Options'.";

/** The phones that a contact's number may mean: `6045551234` can be a local number of Canada or Malaysia. */
function phonesOf(written: string, countries: string[]): string[] {
	const local = compact(countries.map((country) => readPhone(written, country).e164));
	return uniq([written, ...local].map(samePhoneKey)).filter(isPhoneKey);
}
