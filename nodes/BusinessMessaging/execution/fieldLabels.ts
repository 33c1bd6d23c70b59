/** How errors name a field: with the labels that people see in the editor. */
import { compact, uniq } from 'lodash';

import type { ParameterField } from '../operations/fields';
import { titleOf } from '../operations/sending/templateVariables';

/** The field that people see at a path: one of a collection, or of the form of a template, which has one for each variable. */
export function shownAt(field: ParameterField, path: string): ParameterField {
	const [, ...keys] = path.split('.');
	const displayName =
		field.type === 'resourceMapper' ? titleOf({ id: keys.at(-1) ?? '' }) : labelAt(field, keys);
	return { ...field, displayName };
}

/** A field of n8n, a group of fields, or a choice. */
interface Labelled {
	displayName?: string;
	name: string;
	options?: Labelled[];
	values?: Labelled[];
}

/** The label of a field, with that of the innermost field at these keys, e.g. "Options → Variant". */
function labelAt(field: ParameterField, keys: string[]): string {
	const labels = [field.displayName];
	let inner: Labelled | undefined = field;
	for (const key of keys) {
		inner = (inner?.options ?? inner?.values)?.find(({ name }) => name === key);
		labels.push(inner?.displayName ?? '');
	}
	return uniq(compact([labels[0], compact(labels).at(-1)])).join(' → ');
}
