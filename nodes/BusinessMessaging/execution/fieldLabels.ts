/** How errors name a field: with the labels that people see in the editor. */
import { compact, uniq } from 'lodash';

import type { ParameterField } from '../operations/fields';
import { titleOf } from '../operations/sending/templateVariables';

/** A field as errors name it. */
export interface ShownField extends ParameterField {
	/** Its innermost field, e.g. that of a collection. */
	inner: Partial<Pick<ParameterField, 'name' | 'type' | 'default' | 'noDataExpression'>>;
}

/** The field that people see at a path: one of a collection, or of the form of a template, which has one for each variable. */
export function shownAt(field: ParameterField, path: string): ShownField {
	const [, ...keys] = path.split('.');
	const fields = fieldsAt(field, keys);
	const inner = (fields.at(-1) ?? { name: keys.at(-1) }) as ShownField['inner'];
	const displayName =
		field.type === 'resourceMapper' ? titleOf({ id: keys.at(-1) ?? '' }) : labelOf(fields);
	return { ...field, displayName, inner };
}

/** A field of n8n, a group of fields, or a choice. */
interface Labelled {
	displayName?: string;
	name: string;
	options?: Labelled[];
	values?: Labelled[];
}

/** A field, and those inside it at these keys. */
function fieldsAt(field: ParameterField, keys: string[]): Array<Labelled | undefined> {
	const fields: Array<Labelled | undefined> = [field];
	for (const key of keys) {
		const outer = fields.at(-1);
		fields.push((outer?.options ?? outer?.values)?.find(({ name }) => name === key));
	}
	return fields;
}

/** The label of a field, with that of the innermost field, e.g. "Options → Variant". */
function labelOf(fields: Array<Labelled | undefined>): string {
	const labels = fields.map((field) => field?.displayName);
	return uniq(compact([labels[0], compact(labels).at(-1)])).join(' → ');
}
