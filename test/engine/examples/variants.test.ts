/** The split into variants of the example Campaign with results. */
import { groupBy, uniq, zip } from 'lodash';

import { exampleField } from '../../../harness/engine/exampleFields';
import { readSampleContacts } from '../../../harness/examples';

const field = 'assignments.assignments[0].value';
const phones = readSampleContacts().map(({ phone }) => phone);
/** Each person's variant, for a campaign. */
const variantsOf = (campaign = 'welcome') =>
	phones.map((phone) =>
		exampleField('campaign-with-results', 'Variant', field, { phone }, { welcome: campaign }),
	);

test('a person has the same variant in each run, and about half of the people have each', () => {
	const variants = variantsOf();
	expect(variantsOf()).toEqual(variants);
	expect(uniq(variants).sort()).toEqual(['A', 'B']);
	const share = variants.filter((variant) => variant === 'B').length / phones.length;
	expect(share).toBeGreaterThan(0.4);
	expect(share).toBeLessThan(0.6);
});

test('people whose numbers end in the same digit have both variants', () => {
	const variants = variantsOf();
	const byDigit = groupBy(zip(phones, variants), ([phone]) => phone?.slice(-1));
	for (const group of Object.values(byDigit))
		expect(uniq(group.map(([, variant]) => variant)).sort()).toEqual(['A', 'B']);
	expect(Object.keys(byDigit)).toHaveLength(10);
});

test('another campaign mixes the people anew', () => {
	const first = variantsOf();
	const same = variantsOf('spring sale').filter((variant, index) => variant === first[index]);
	expect(same.length / phones.length).toBeGreaterThan(0.3);
	expect(same.length / phones.length).toBeLessThan(0.7);
});
