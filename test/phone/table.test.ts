/** The shipped table is generated from the metadata of libphonenumber-js. */
import { readFileSync } from 'node:fs';

import metadata from 'libphonenumber-js/metadata.max.json';
import type { INodePropertyOptions } from 'n8n-workflow';

import { defaultCountryField } from '../../nodes/BusinessMessaging/operations/phone';
import { phoneTable, phoneTableFile } from '../../scripts/phoneTable';

test('the table of numbering plans is what `npm run docs` writes', () => {
	expect(readFileSync(phoneTableFile, 'utf8')).toBe(phoneTable());
});

test('every country can be chosen, by its English name', () => {
	const options = defaultCountryField.options as INodePropertyOptions[];
	const codes = options.map(({ value }) => value);
	expect(codes.slice(2).sort()).toEqual(Object.keys(metadata.countries).sort());
	expect(options).toContainEqual({ name: 'Germany', value: 'DE' });
	expect(options.filter(({ name, value }) => name === value)).toEqual([]);
});
