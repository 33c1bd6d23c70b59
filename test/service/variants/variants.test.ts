/** Each variation point of the service in each of its variants, and lists of any size in any combination of those of paging. */
import fc from 'fast-check';
import {
	singleVariants,
	variationPointNames,
	valuesOf,
	type Choice,
} from '../../../sandbox/variants';
import { loadEngine } from '../../../harness/engine/engine';
import { checkListing } from './listing';
import { testVariants } from './service';
import { VariantEnvironment } from './variantEnvironment';

testVariants([{}, ...singleVariants()], 'single variants');

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const listing = variationPointNames.filter((name) =>
	/^(page-|paging|last-page|list-|id-|error-status)/.test(name),
);
const variants = fc.record(
	Object.fromEntries(listing.map((name) => [name, fc.constantFrom(...valuesOf(name))])),
) as fc.Arbitrary<Partial<Choice>>;

test(`lists every contact once, in order, for any number of contacts and page size (TEST_SEED=${seed})`, async () => {
	const engine = await loadEngine();
	const size = fc.integer({ min: 2, max: 12 });
	const property = fc.asyncProperty(variants, size, size, fc.nat(50), async (...values) => {
		const [chosen, pageSizeCap, defaultSize, count] = values;
		const options = { pageSizeCap, defaultPageSize: Math.min(defaultSize, pageSizeCap) };
		await VariantEnvironment.during(
			engine,
			chosen,
			options,
			async (environment) => await checkListing(environment, count),
		);
	});
	await fc
		.assert(property, { numRuns: 60, endOnFailure: true, seed })
		.finally(async () => await engine.close());
}, 120_000);
