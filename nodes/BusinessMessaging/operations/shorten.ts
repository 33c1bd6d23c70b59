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
	const others = Object.keys(record).filter((key) => !keys.includes(key));
	const plain = others.filter((key) => record[key] === null || typeof record[key] !== 'object');
	const isShort = Object.keys(record).length <= mostFields && plain.length === others.length;
	if (isShort) return record as IDataObject;
	const present = keys.filter((key) => record[key] !== undefined);
	return Object.fromEntries([...present, ...plain].slice(0, mostFields).map((key) => [key, record[key]])) as IDataObject;
}
