/**
 * Every operation and the trigger against every service that the specification leaves room for: each variation point in each of its
 * variants, and many at random. `npm run test:variants` runs them.
 */
import { range } from 'lodash';

import {
	describeVariants,
	randomVariants,
	singleVariants,
	type Choice,
} from '../../sandbox/variants';
import { loadEngine, type Engine } from '../support/engine';
import { checkListing } from './listings';
import { checkForm, checkOperations, checkQuestion, checkRate } from './operations';
import { Stage } from './stage';
import { checkTrigger } from './trigger';

/** How many random combinations; the coverage run has a number of its own. */
const { randomCombinations: count = 200 } = globalThis as { randomCombinations?: number };
const seed = Number(process.env.TEST_SEED ?? 1);
/** `TEST_SEED` gives others. The same seed gives the same combinations, whatever their number. */
const random = range(count).map((n) => randomVariants(seed * 10_000 + n));
const chosen: Array<Partial<Choice>> = [{}, ...singleVariants(), ...random];

/** The greatest page size of the sandboxes; listings are cut into some pages. */
const pageSizes = { pageSizeCap: 4, defaultPageSize: 3 };

let engine: Engine;
let checks = 0;

beforeAll(async () => {
	engine = await loadEngine();
});

afterAll(async () => {
	await engine.close();
	const parts = `${chosen.length - random.length} single variants, ${random.length} random combinations from seed ${seed}`;
	process.stdout.write(`Variants: ${chosen.length} combinations (${parts}), ${checks} checks\n`);
});

afterEach(() => {
	checks += expect.getState().assertionCalls;
});

test.each(chosen.map((variants) => [describeVariants(variants), variants] as const))(
	'%s',
	async (_, variants) => {
		const stage = await Stage.open(engine, variants);
		try {
			await checkForm(stage);
			await checkOperations(stage);
			await checkQuestion(stage);
			await checkTrigger(stage);
			await checkRate(stage);
		} finally {
			await stage.close();
		}
		const pages = await Stage.open(engine, variants, pageSizes);
		try {
			for (const contacts of [0, 1, 4, 9]) await checkListing(pages, contacts);
		} finally {
			await pages.close();
		}
	},
);
