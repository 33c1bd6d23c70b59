/** What holds for any number of contacts, any text and any words of the service, over the variants. */
import fc from 'fast-check';
import { pick } from 'lodash';

import { HttpError } from '../../sandbox/errors';
import {
	variationPointNames,
	usualChoice,
	valuesOf,
	type Choice,
	type VariationPointName,
} from '../../sandbox/variants';
import { errorText } from '../../sandbox/variants/errors';
import { loadEngine, type Engine } from '../support/engine';
import { checkListing } from './listings';
import { Stage } from './stage';

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
			pageSizeCap: fc.integer({ min: 1, max: 12 }),
			defaultPageSize: fc.integer({ min: 1, max: 12 }),
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

	test("whatever the error, the item's message has the words of the service", async () => {
		const stage = await Stage.open(engine, {});
		const status = fc.integer({ min: 400, max: 599 }).filter((code) => code !== 429);
		const words = fc
			.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 80 })
			.map((text) => `Refused: ${text.replace(/[\s.]+/g, ' ').trim()}!`);
		const property = fc.asyncProperty(
			anyOf('error-shape'),
			status,
			words,
			async (variants, code, said) => {
				const body = errorText(
					{ ...usualChoice, ...pick(variants, 'error-shape') },
					new HttpError(code, 'some_code', said),
				);
				await stage.fault({ endpoint: 'sendText', status: code, body });
				const { outputs } = await stage.run(
					{ resource: 'message', operation: 'sendText', to: '+15550001000', text: 'Hi' },
					[{}],
					{ onError: 'continueRegularOutput' },
				);
				expect(outputs[0][0].json.error).toMatchObject({
					message: expect.stringContaining(said),
					statusCode: code,
				});
			},
		);
		await fc.assert(property, settings).finally(async () => await stage.close());
	}, 120_000);
});
