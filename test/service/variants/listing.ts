/** Lists of every variant: each contact once, in the service's order, with few requests, and no gap without a word. */
import { difference, range, uniq, without } from 'lodash';
import type { Choice } from '../../../sandbox/variants';
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
	return choice['page-size'] === 'capped' ? settings.pageSizeCap : settings.defaultPageSize;
}

/** Lists so many contacts with the node. */
export async function checkListing(stage: Stage, count: number): Promise<void> {
	const { state } = stage;
	const before = fill(stage, count);
	const calls = () => state.requests.counters.listContacts?.calls ?? 0;
	const callsBefore = calls();
	const parameters = { resource: 'contact', operation: 'getAll', returnAll: true };
	const { outputs, error, hints } = await stage.run(parameters);
	expect(error).toBeUndefined();
	const given = (outputs[0] ?? []).map(({ json }) => `+${String(json.phone).replace('+', '')}`);
	expect(given).toEqual(uniq(given));
	checkMissing(stage, before, given);
	const words = hints.map(({ message }) => message).join();
	if (saysTotal(stage.choice)) expect(words).not.toContain('The service returned');
	checkOrder(stage, before, given);
	checkRequests(stage, calls() - callsBefore, Math.max(count, state.contacts.all.length));
}

function checkMissing({ choice, state }: Stage, before: string[], given: string[]): void {
	const stayed = before.filter((phone) => state.contacts.findByPhone(phone));
	const missing = difference(stayed, given);
	// Without a total, no response shows that an unread contact has moved onto a page that was already read.
	const maySlip = choice['list-changes'] === 'removed' && !saysTotal(choice);
	expect(missing.length).toBeLessThanOrEqual(maySlip ? 1 : 0);
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
	if (!saysTotal(choice)) return;
	const needed = Math.max(1, Math.ceil(count / pageSize(stage)));
	// Which limit the service takes; a greatest page size as small as here is below all that are tried.
	const refusals = choice['page-size'] === 'refused' ? 2 : 0;
	// A refused page is requested up to twice more, as the failure may be temporary.
	const retries = choice['last-page'] === 'bad-request' && choice.paging === 'pages' ? 2 : 0;
	expect(requests).toBeLessThanOrEqual(needed + maxFurther + refusals + retries);
}
