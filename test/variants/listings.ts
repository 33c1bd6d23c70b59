/** Every contact once, in order, however the service pages. */
import { difference, range, uniq, without } from 'lodash';

import type { Choice } from '../../sandbox/variants';
import type { Stage } from './stage';

/** More requests than the fewest possible: which number the first page has, where the end is, and what others have changed. */
const mostFurther = 3;

/** Whether the service says how many contacts there are. */
function saysTotal(choice: Choice): boolean {
	return choice['page-metadata'] !== 'absent' && choice['list-envelope'] !== 'bare';
}

/** Puts so many contacts there and nothing else. @returns their phone numbers */
function fill({ state }: Stage, count: number): string[] {
	for (const { id } of [...state.contacts.all]) state.contacts.delete(id);
	return range(count).map((n) => state.contacts.create({ phone: `+15551${100_000 + n}` }).phone);
}

/** Lists so many contacts with the node. */
export async function checkListing(stage: Stage, count: number): Promise<void> {
	const { state, choice } = stage;
	const before = fill(stage, count);
	const callsBefore = state.requests.counters.listContacts?.calls ?? 0;
	const items = await stage.gives({ resource: 'contact', operation: 'getAll', returnAll: true });
	const given = items.map(({ json }) => String(json.phone));

	const stayed = before.filter((phone) => state.contacts.findByPhone(phone));
	const missing = difference(stayed, given);
	// Without a total nothing in the answers tells that a contact which is not read yet has moved onto a page that was.
	const maySlip = choice['list-changes'] === 'removed' && !saysTotal(choice);
	expect(missing.length).toBeLessThanOrEqual(maySlip ? 1 : 0);
	expect(given).toEqual(uniq(given));
	const [order, wanted] = [
		given.filter((phone) => before.includes(phone)),
		before.filter((phone) => given.includes(phone)),
	];
	// A contact that has moved onto a page which was read before is found late, when that page is read again.
	const moved =
		choice['list-changes'] === 'removed'
			? wanted.find((phone, index) => order[index] !== phone)
			: undefined;
	expect(without(order, moved)).toEqual(without(wanted, moved));

	if (!saysTotal(choice)) return;
	const requests = (state.requests.counters.listContacts?.calls ?? 0) - callsBefore;
	const isOwn = choice['page-size'] === 'ignored' || choice['page-size'] === 'refused';
	const size = isOwn ? state.settings.defaultPageSize : state.settings.pageSizeCap;
	const needed = Math.max(1, Math.ceil(Math.max(count, state.contacts.all.length) / size));
	// Which limit the service takes; a greatest page size as small as here is below all that are tried.
	const refusals = choice['page-size'] === 'refused' && choice.paging === 'pages' ? 2 : 0;
	// A page that is refused is asked for twice more, as that may have been for a moment.
	const retries = choice['last-page'] === 'bad-request' ? 2 : 0;
	expect(requests).toBeLessThanOrEqual(needed + mostFurther + refusals + retries);
}
