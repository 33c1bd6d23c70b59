/** Lists of services that are functions. */
import { type Service, clientOf } from '../../../harness/engine/functionService';
import { type Endpoint, endpoints } from '../../../nodes/BusinessMessaging/api/endpoints';
import { type ListRequest, readRecords } from '../../../nodes/BusinessMessaging/transport/lists';

/** Lists records with the node's code. @returns the IDs of the records, and the requests */
export async function list(
	service: Service,
	request: ListRequest = {},
	endpoint: Endpoint = endpoints.listContacts,
) {
	const { client, asked, most } = clientOf(service);
	const { records, shortfall } = await readRecords(client, endpoint, request);
	if (shortfall) throw shortfall;
	const ids = records.map(({ id }) => id);
	return { ids, asked, pages: asked.map(({ page }) => page), atOnce: most.atOnce };
}

/** The message about an incomplete list. */
export async function gapOf(service: Service, request?: ListRequest) {
	const { client, asked } = clientOf(service);
	const { records, shortfall } = await readRecords(client, endpoints.listContacts, request);
	return {
		count: records.length,
		message: shortfall?.message,
		description: shortfall?.description,
		asked,
	};
}

/** A list that shows its total. */
export const withTotal = (count: number) => ({ count, says: { total: count } });
/** Records with these IDs. */
export const recordsOf = (ids: unknown[]) => ids.map((id) => ({ id }));
