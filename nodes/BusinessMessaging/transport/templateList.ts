/** The service's templates, cached for five minutes. */
import { omit } from 'lodash';

import { endpoints } from '../api/endpoints';
import { fieldNames } from '../reading/readResponse';
import { type Template, readTemplates } from '../reading/readTemplates';
import { BoundedMap } from '../boundedMap';
import type { Client } from './client';
import { ServiceError } from './errors';
import { type RecordList, readRecords } from './lists';

/** The templates, in the service's order. */
export interface TemplateList extends Omit<RecordList, 'records' | 'pageQueries'> {
	records: Template[];
}

/** By address and key. */
const listCache = new BoundedMap<string, TemplateList>({ maxSize: 20, maxAgeMs: 5 * 60_000 });

/** Lists the templates; with `isFresh`, without the cache. @throws ServiceError, also if none of them has a name */
export async function listTemplates(client: Client, isFresh = false): Promise<TemplateList> {
	const known = isFresh ? undefined : listCache.get(client.config.id);
	if (known) return known;
	const { records: shown, ...facts } = await readRecords(client, endpoints.listTemplates);
	const list = { ...omit(facts, 'pageQueries'), records: shown.flatMap(readTemplates) };
	if (list.records.length === 0 && shown.length > 0)
		throw new ServiceError('The service sent templates, but the node cannot find their names', {
			kind: 'refused',
			description: `The first template has the fields ${fieldNames(shown[0])}.`,
		});
	listCache.set(client.config.id, list);
	return list;
}
