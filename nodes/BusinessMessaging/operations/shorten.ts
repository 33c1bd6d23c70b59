import type { IDataObject } from 'n8n-workflow';

import { type ServiceRecord } from '../api/read';

/** As many fields as n8n asks of a simplified record, at most. */
const mostFields = 10;

/**
 * A record with at most 10 fields: as it came if it has no more, all of them plain or known; else those that matter, and
 * further plain ones if there is place. The service's own fields are not known for certain, so none is dropped without need.
 *
 * @param keys the fields that matter, in their order
 */
export function shorten(record: ServiceRecord, keys: string[]): IDataObject {
	const names = Object.keys(record);
	const isPlain = (name: string) =>
		record[name] === null || !['object', 'undefined'].includes(typeof record[name]);
	const isKnown = (name: string) => record[name] !== undefined && keys.includes(name);
	if (names.length <= mostFields && names.every((name) => isPlain(name) || isKnown(name)))
		return record as IDataObject;
	const others = names.filter((name) => isPlain(name) && !keys.includes(name));
	return Object.fromEntries(
		[...keys.filter(isKnown), ...others].slice(0, mostFields).map((key) => [key, record[key]]),
	) as IDataObject;
}
