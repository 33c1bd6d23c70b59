/** Each variation point of the service in each of its variants, and properties that hold for every service. */
import fc from 'fast-check';
import {
	singleVariants,
	variationPointNames,
	valuesOf,
	type Choice,
	type VariationPointName,
} from '../../sandbox/variants';
import { loadEngine, type Engine } from '../support/engine';
import { testVariants } from './service';
import { Stage } from './stage';
import { checkListing } from './operations';

testVariants([{}, ...singleVariants()], 'single variants');

let engine: Engine;
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const settings = { numRuns: 60, endOnFailure: true, seed };

beforeAll(async () => {
	engine = await loadEngine();
});
afterAll(async () => await engine.close());

/** Any values for some variation points. */
function anyOf(...names: VariationPointName[]): fc.Arbitrary<Partial<Choice>> {
	const values = Object.fromEntries(
		names.map((name) => [name, fc.constantFrom(...(valuesOf(name) as string[]))]),
	);
	return fc.record(values) as fc.Arbitrary<Partial<Choice>>;
}

const listing = variationPointNames.filter((name) =>
	/^(page-|paging|last-page|refused-pages|list-)/.test(name),
);

describe(`(TEST_SEED=${seed})`, () => {
	test('contacts in are contacts out, once each, in order, for any number, page size and cap', async () => {
		const sizes = fc.record({
			pageSizeCap: fc.integer({ min: 2, max: 12 }),
			defaultPageSize: fc.integer({ min: 2, max: 12 }),
		});
		const property = fc.asyncProperty(
			anyOf(...listing, 'id-key', 'id-type', 'error-status'),
			sizes,
			fc.nat(50),
			async (variants, { pageSizeCap, defaultPageSize }, count) => {
				const stage = await Stage.open(engine, variants, {
					pageSizeCap,
					defaultPageSize: Math.min(defaultPageSize, pageSizeCap),
				});
				await checkListing(stage, count).finally(async () => await stage.close());
			},
		);
		await fc.assert(property, settings);
	}, 120_000);

	test('whatever is sent arrives as it was sent', async () => {
		const stage = await Stage.open(engine, {});
		const text = fc
			.string({ unit: 'binary', minLength: 1, maxLength: 200 })
			.filter((written) => written.trim() !== ''); // which is refused
		const texts = fc.array(text, { minLength: 1, maxLength: 5 });
		const property = fc.asyncProperty(texts, async (list) => {
			const before = stage.state.messages.all.length;
			await stage.gives(
				{
					resource: 'message',
					operation: 'sendText',
					to: '+15550001000',
					text: '={{ $json.text }}',
				},
				list.map((text) => ({ text })),
			);
			expect(stage.state.messages.all.slice(before).map(({ text }) => text)).toEqual(list);
		});
		await fc.assert(property, settings).finally(async () => await stage.close());
	}, 120_000);
});
