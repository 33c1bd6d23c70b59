import { uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { type ServiceRecord, isRecord } from '../jsonValues';

/** The maximum number of fields of a simplified record, as n8n requires. */
const maxFields = 10;

/** Up to 10 fields with plain values or lists of them: those in `first`, then the others in the service's order. */
export function simplifyRecord(record: ServiceRecord, first: string[]): IDataObject {
	const isSimple = (name: string) =>
		Object.hasOwn(record, name) && [record[name]].flat().every(isPlain);
	const names = uniq([...first, ...Object.keys(record)]).filter(isSimple);
	const entries = names.slice(0, maxFields).map((name) => [name, record[name]]);
	return Object.fromEntries(entries) as IDataObject;
}

function isPlain(value: unknown): boolean {
	return value !== undefined && !isRecord(value) && !Array.isArray(value);
}
