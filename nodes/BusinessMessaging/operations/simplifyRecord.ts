import { isObject, pick, uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { ServiceRecord } from '../jsonValues';

/** The maximum number of fields of a simplified record, as n8n requires. */
const maxFields = 10;

/** Up to 10 fields with plain values or lists of them: those in `first`, then the others in the service's order. */
export function simplifyRecord(record: ServiceRecord, first: string[]): IDataObject {
	const isPlain = (value: unknown) => value !== undefined && !isObject(value);
	const isSimple = (name: string) =>
		Object.hasOwn(record, name) && [record[name]].flat().every(isPlain);
	const names = uniq([...first, ...Object.keys(record)]).filter(isSimple);
	return pick(record, names.slice(0, maxFields)) as IDataObject;
}
