/** What a listed contact shows beyond the fields that the specification names. */
import { type ServiceRecord, isRecord } from './read';

/** The names of a contact's segments (assumption: `segments` or `segment`, as names or as records with a name). */
export function readSegments({ segments, segment }: ServiceRecord): string[] {
	const list: unknown[] = Array.isArray(segments) ? segments : [segments ?? segment];
	return list
		.map((entry) => (isRecord(entry) ? entry.name : entry))
		.filter((name): name is string => typeof name === 'string' && name !== '');
}
