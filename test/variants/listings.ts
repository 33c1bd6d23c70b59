/** Every contact once, in order, however the service pages; where some cannot be had, a hint that says so. */
import { difference, range, uniq, without } from 'lodash';

import type { Choice } from '../../sandbox/variants';
import type { Stage } from './stage';

/** More requests than the fewest possible: which number the first page has, where the end is, and what others have changed. */
const maxFurther = 3;

/** Whether the service says how many contacts there are. */
function saysTotal(choice: Choice): boolean {
	const metadata = choice['page-metadata'];
	if (choice['list-envelope'] === 'bare') return metadata === 'header';
	return metadata !== 'absent';
}

/** Puts so many contacts there and nothing else. @returns their phone numbers */
function fill({ state }: Stage, count: number): string[] {
	for (const { id } of [...state.contacts.all]) state.contacts.delete(id);
	return range(count).map((n) => state.contacts.create({ phone: `+15551${100_000 + n}` }).phone);
}

/** How many contacts a page has at most. */
function pageSize({ choice, state: { settings } }: Stage): number {
	const isOwn = choice['page-size'] === 'ignored' || choice['page-size'] === 'refused';
	return isOwn ? settings.defaultPageSize : settings.pageSizeCap;
}

/** Lists so many contacts with the node. */
export async function checkListing(stage: Stage, count: number): Promise<void> {
	const { state } = stage;
	const before = fill(stage, count);
	const callsBefore = state.requests.counters.listContacts?.calls ?? 0;
	const { outputs, error, hints } = await stage.run(
		{ resource: 'contact', operation: 'getAll', returnAll: true },
		[{}],
	);
	expect(error).toBeUndefined();
	const given = (outputs[0] ?? []).map(({ json }) => `+${String(json.phone).replace('+', '')}`);
	const gaps = hints
		.map(({ message }) => message)
		.filter((words) => /^The service returned/.test(words));

	expect(given).toEqual(uniq(given));
	checkMissing(stage, before, given, gaps);
	checkOrder(stage, before, given);
	const requests = (state.requests.counters.listContacts?.calls ?? 0) - callsBefore;
	checkRequests(stage, requests, Math.max(count, state.contacts.all.length));
}

function checkMissing(stage: Stage, before: string[], given: string[], gaps: string[]): void {
	const { choice, state } = stage;
	const missing = difference(
		before.filter((phone) => state.contacts.findByPhone(phone)),
		given,
	);
	const total = state.contacts.all.length;
	const isDeep = choice['refused-pages'] === 'deep' && total > 2 * pageSize(stage);
	// As many as the service says there are, since others that were read have been removed.
	if (isDeep && saysTotal(choice) && given.length >= total) return;
	if (missing.length === 0 && !isDeep) {
		// Where nothing shows how many there are, a full page before one that is refused may not be the last.
		if (saysTotal(choice)) expect(gaps).toEqual([]);
		return;
	}
	// Without a total, no response shows that an unread contact has moved onto a page that was already read.
	const maySlip = choice['list-changes'] === 'removed' && !saysTotal(choice);
	expect(missing.length).toBeLessThanOrEqual(
		(isDeep ? total - 2 * pageSize(stage) : 0) + (maySlip ? 1 : 0),
	);
	if (maySlip && !isDeep) return;
	const amount = saysTotal(choice)
		? `${given.length} of ${total} contacts`
		: `only the first ${given.length} contacts`;
	if (missing.length > 0) expect(gaps).toEqual([expect.stringContaining(amount)]);
}

function checkOrder({ choice }: Stage, before: string[], given: string[]): void {
	const order = given.filter((phone) => before.includes(phone));
	const wanted = before.filter((phone) => given.includes(phone));
	// A contact that has moved onto a page which was read before is found late, when that page is read again.
	const changes = choice['list-changes'];
	const moved = {
		none: undefined,
		added: undefined,
		removed: wanted.find((phone, index) => order[index] !== phone),
		moved: before.at(-1),
	}[changes];
	expect(without(order, moved)).toEqual(without(wanted, moved));
}

function checkRequests(stage: Stage, requests: number, count: number): void {
	const { choice } = stage;
	if (!saysTotal(choice) || choice['refused-pages'] === 'deep') return;
	const needed = Math.max(1, Math.ceil(count / pageSize(stage)));
	// Which limit the service takes; a greatest page size as small as here is below all that are tried.
	const refusals = choice['page-size'] === 'refused' && choice.paging !== 'none' ? 2 : 0;
	// A refused page is requested up to twice more, as the failure may be temporary.
	const isNumbered = choice.paging === 'pages';
	const retries = choice['last-page'] === 'bad-request' && isNumbered ? 2 : 0;
	const transient = choice['refused-pages'] === 'transient' ? 1 : 0;
	expect(requests).toBeLessThanOrEqual(needed + maxFurther + refusals + retries + transient);
}
