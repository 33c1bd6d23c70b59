/** Lists in every variant: each contact once, in the service's order, with few requests; and a hint for every gap. */
import { difference, range, uniq, without } from 'lodash';
import type { Choice } from '../../../sandbox/variants';
import type { VariantEnvironment } from './variantEnvironment';

/**
 * How many more requests than the fewest possible are allowed: to find the number of the first page, the end of the
 * list, and changes by others.
 */
const maxFurther = 3;

/** Whether the service truly says how many contacts there are. */
function saysTotal(choice: Choice): boolean {
	const metadata = choice['page-metadata'];
	if (choice['list-envelope'] === 'bare') return metadata === 'header';
	return ['flat', 'header'].includes(metadata);
}

/** Puts so many contacts there and nothing else. @returns their phone numbers */
function fill({ state }: VariantEnvironment, count: number): string[] {
	for (const { id } of [...state.contacts.all]) state.contacts.delete(id);
	return range(count).map((n) => state.contacts.create({ phone: `+15551${100_000 + n}` }).phone);
}

/** How many contacts a page has at most. */
function pageSize({ choice, state: { settings } }: VariantEnvironment): number {
	return choice['page-size'] === 'capped' ? settings.pageSizeCap : settings.defaultPageSize;
}

/** Lists so many contacts with the node. */
export async function checkListing(environment: VariantEnvironment, count: number): Promise<void> {
	const { state } = environment;
	const before = fill(environment, count);
	const calls = () => state.requests.counters.listContacts?.calls ?? 0;
	const callsBefore = calls();
	const parameters = { resource: 'contact', operation: 'getAll', returnAll: true };
	const { outputs, error, hints } = await environment.run(parameters);
	expect(error).toBeUndefined();
	const given = (outputs[0] ?? []).map(({ json }) => `+${String(json.phone).replace('+', '')}`);
	expect(given).toEqual(uniq(given));
	checkMissing(environment, before, given);
	const words = hints.map(({ message }) => message).join();
	if (saysTotal(environment.choice)) expect(words).not.toContain('The service returned');
	// Nothing is missing, so a figure that says so is about something else.
	else expect(words).not.toMatch(/returned \d+ of \d+/);
	checkOrder(environment, before, given);
	checkRequests(environment, calls() - callsBefore, Math.max(count, state.contacts.all.length));
}

function checkMissing(
	{ choice, state }: VariantEnvironment,
	before: string[],
	given: string[],
): void {
	const stayed = before.filter((phone) => state.contacts.findByPhone(phone));
	const missing = difference(stayed, given);
	// Without a total, no response shows that an unread contact has moved to a page that was already read.
	const maySlip = choice['list-changes'] === 'removed' && !saysTotal(choice);
	expect(missing.length).toBeLessThanOrEqual(maySlip ? 1 : 0);
}

function checkOrder({ choice }: VariantEnvironment, before: string[], given: string[]): void {
	const order = given.filter((phone) => before.includes(phone));
	const wanted = before.filter((phone) => given.includes(phone));
	// A contact that has moved onto a page which was read before is found late, when that page is read again.
	const isLate = (phone: string, index: number) => order[index] !== phone;
	const late = choice['list-changes'] === 'removed' ? wanted.find(isLate) : undefined;
	expect(without(order, late)).toEqual(without(wanted, late));
}

function checkRequests(environment: VariantEnvironment, requests: number, count: number): void {
	const { choice } = environment;
	if (!saysTotal(choice)) return;
	const needed = Math.max(1, Math.ceil(count / pageSize(environment)));
	// Which limit the service takes; a greatest page size as small as here is below all that are tried.
	// A failure is requested once more, as it may be temporary.
	const refusals = { capped: 0, refused: 2, failing: 4 }[choice['page-size']];
	// A refused page is requested up to twice more, as the failure may be temporary.
	const retries = choice['last-page'] === 'bad-request' && choice.paging === 'pages' ? 2 : 0;
	expect(requests).toBeLessThanOrEqual(needed + maxFurther + refusals + retries);
}
