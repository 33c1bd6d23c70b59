/** The rows of docs/api-assumptions.md that can be derived: of calls that the nodes treat as every other call. */
import { compact, uniq } from 'lodash';

import {
	endpoints,
	recordName,
	routeOf,
	type Endpoint,
	type EndpointName,
} from '../nodes/BusinessMessaging/api/endpoints';
import { routes } from '../sandbox/routes';

/** The cell *Nodes* of these rows. A row with other words there is written by hand, and stays as it is. */
const asEveryCall = 'As every call';

const tableRows = /(?<=\n\| # \|.*\n\|.*\n)(\|.*\n)+/;

/** The calls of an endpoint as the page writes them, e.g. `` `DELETE /v1/webhooks/:id` ``. */
export function callsOf({ path, methods }: Endpoint): string[] {
	return uniq(Object.values(methods)).map((method) => `\`${method} ${path}\``);
}

/** The page with its derived rows up to date. A call without a row gets one at the end of the table. */
export function withDerivedRows(page: string): string {
	return page.replace(tableRows, (table) => {
		const rows = table.trimEnd().split('\n');
		for (const name of Object.keys(endpoints) as EndpointName[]) {
			const calls = callsOf(endpoints[name]);
			const known = rows.findIndex((row) => calls.some((call) => row.includes(call)));
			const index = known >= 0 ? known : rows.length;
			if (known < 0 || rows[index].includes(`| ${asEveryCall} |`))
				rows[index] = rowOf(name, index + 1);
		}
		return `${rows.join('\n')}\n`;
	});
}

function rowOf(name: EndpointName, number: number): string {
	const endpoint: Endpoint = endpoints[name];
	const { query, body } = endpoint;
	const open = [query && 'query parameters', body && 'request body', 'response'];
	const fields = Object.keys({ ...query?.shape, ...body?.shape } as object).map(
		(field) => `\`${field}\``,
	);
	const { status } = routes[name];
	const record = name.startsWith('list') ? 'a list in `data`' : `the ${recordName(endpoint)}`;
	const response = status === 204 ? '204' : `${record}, ${status}`;
	const variants = variantsOf(name).map((variant) => `\`variant ${variant}\``);
	const cells = [
		number,
		`${callsOf(endpoint).join(' or ')}: ${compact(open).join(' and ')}`,
		compact([fields.join(', '), response]).join('; '),
		asEveryCall,
		[...variants, '`test/engine/operations/everyOperation.test.ts`'].join(', '),
	];
	return `| ${cells.join(' | ')} |`;
}

/** The variation points of the sandbox that change the response. */
function variantsOf(name: EndpointName): string[] {
	if (name.startsWith('list')) return ['list-envelope'];
	const isRead = routeOf(endpoints[name], '/v1').method === 'GET';
	return isRead ? ['record-envelope'] : ['success-status', 'success-body'];
}
