/** The service's templates, kept for some minutes in the process: neither every run nor every key typed lists them again. */
import { endpoints } from '../api/endpoints';
import { fieldNames } from '../api/read';
import { type Template, readTemplates } from '../api/templates';
import { BoundedMap } from '../boundedMap';
import type { Client } from './client';
import { ServiceError } from './errors';
import { listRecords } from './lists';

/** By address and key. */
const kept = new BoundedMap<string, Template[]>({ maxSize: 20, maxAgeMs: 5 * 60_000 });

/**
 * Lists all templates, in the service's order.
 *
 * @param isFresh whether a list that is kept will not do
 * @throws ServiceError if they cannot be listed, or not one of them has a name
 */
export async function listTemplates(client: Client, isFresh = false): Promise<Template[]> {
	const known = isFresh ? undefined : kept.get(client.config.id);
	if (known) return known;
	const records = await listRecords(client, endpoints.listTemplates);
	const templates = records.flatMap(readTemplates);
	if (templates.length === 0 && records.length > 0)
		throw new ServiceError('The service lists templates, but no name was found in them', {
			kind: 'refused',
			description: `The first one has the fields ${fieldNames(records[0])}.`,
		});
	kept.set(client.config.id, templates);
	return templates;
}
