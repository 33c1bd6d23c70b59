/** Lists of every variant: each contact once, in the service's order, with few requests, and no gap without a word. */
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

/** Whether nothing shows that a list has ended: its last page, repeated with what was added, and then a refused one. */
export function hidesEnd(choice: Choice): boolean {
	const isRepeated = choice['last-page'] === 'repeated' && choice['list-changes'] === 'added';
	const isRefused = choice['refused-pages'] === 'deep' && choice.paging === 'pages';
	return isRepeated && isRefused && !saysTotal(choice);
}

/** Puts so many contacts there and nothing else. @returns their phone numbers */
function fill({ state }: Stage, count: number): string[] {
	for (const { id } of [...state.contacts.all]) state.contacts.delete(id);
	return range(count).map((n) => state.contacts.create({ phone: `+15551${100_000 + n}` }).phone);
}

/** How many contacts a page has at most. */
function pageSize({ choice, state: { settings } }: Stage): number {
	return choice['page-size'] === 'capped' ? settings.pageSizeCap : settings.defaultPageSize;
}

/** Lists so many contacts with the node. */
export async function checkListing(stage: Stage, count: number): Promise<void> {
	const { state } = stage;
	const before = fill(stage, count);
	const calls = () => state.requests.counters.listContacts?.calls ?? 0;
	const callsBefore = calls();
	const parameters = { resource: 'contact', operation: 'getAll', returnAll: true };
	const { outputs, error, hints } = await stage.run(parameters, [{}]);
	expect(error).toBeUndefined();
	const given = (outputs[0] ?? []).map(({ json }) => `+${String(json.phone).replace('+', '')}`);
	const words = hints.map(({ message }) => message);
	expect(given).toEqual(uniq(given));
	checkMissing(
		stage,
		before,
		given,
		words.filter((one) => one.startsWith('The service returned')),
	);
	checkOrder(stage, before, given);
	checkRequests(stage, calls() - callsBefore, Math.max(count, state.contacts.all.length));
}

function checkMissing(stage: Stage, before: string[], given: string[], gaps: string[]): void {
	const { choice, state } = stage;
	const stayed = before.filter((phone) => state.contacts.findByPhone(phone));
	const missing = difference(stayed, given);
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
	const refused = isDeep ? total - 2 * pageSize(stage) : 0;
	expect(missing.length).toBeLessThanOrEqual(refused + (maySlip ? 1 : 0));
	if (missing.length === 0 || (maySlip && !isDeep)) return;
	const some = `${given.length} of ${total} contacts`;
	const amount = saysTotal(choice) ? some : `only the first ${given.length} contacts`;
	expect(gaps).toEqual([expect.stringContaining(amount)]);
}

function checkOrder({ choice }: Stage, before: string[], given: string[]): void {
	const order = given.filter((phone) => before.includes(phone));
	const wanted = before.filter((phone) => given.includes(phone));
	// A contact that has moved onto a page which was read before is found late, when that page is read again.
	const isLate = (phone: string, index: number) => order[index] !== phone;
	const late = choice['list-changes'] === 'removed' ? wanted.find(isLate) : undefined;
	expect(without(order, late)).toEqual(without(wanted, late));
}

function checkRequests(stage: Stage, requests: number, count: number): void {
	const { choice } = stage;
	if (!saysTotal(choice) || choice['refused-pages'] === 'deep') return;
	const needed = Math.max(1, Math.ceil(count / pageSize(stage)));
	// Which limit the service takes; a greatest page size as small as here is below all that are tried.
	const refusals = choice['page-size'] === 'refused' && choice.paging !== 'none' ? 2 : 0;
	// A refused page is requested up to twice more, as the failure may be temporary.
	const retries = choice['last-page'] === 'bad-request' && choice.paging === 'pages' ? 2 : 0;
	expect(requests).toBeLessThanOrEqual(needed + maxFurther + refusals + retries);
}
