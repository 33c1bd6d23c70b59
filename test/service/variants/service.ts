/** What must work with every service that the specification allows. `npm run test:variants` checks it. */
import { describeVariants, type Choice } from '../../../sandbox/variants';
import { loadEngine, type Engine } from '../../../harness/engine/engine';

import { checkListing } from './listing';
import { checkKept, checkOperations, checkQuestion, checkUnknownTemplate } from './operations';
import { checkSending } from './sending';
import { VariantEnvironment } from './variantEnvironment';
import { checkTrigger } from './trigger';

/** The greatest page size of the sandboxes; listings are cut into some pages. */
const pageSizes = { pageSizeCap: 4, defaultPageSize: 3 };

/** More contacts than the operations delete, and than a service with `list-changes=removed` removes while they are listed. */
const manyContacts = { sampleContacts: 40 };

/** Has every operation and the trigger tested against each of these services. @param about what they are, for the last line */
export function testVariants(chosen: Array<Partial<Choice>>, about: string): void {
	let engine: Engine;
	let checks = 0;

	beforeAll(async () => {
		engine = await loadEngine();
	});

	afterAll(async () => {
		await engine.close();
		process.stdout.write(`Variants: ${chosen.length} ${about}, ${checks} checks\n`);
	});

	afterEach(() => {
		checks += expect.getState().assertionCalls;
	});

	test.each(chosen.map((variants) => [describeVariants(variants), variants] as const))(
		'%s',
		async (_, variants) => {
			await VariantEnvironment.during(engine, variants, manyContacts, async (environment) => {
				await checkOperations(environment);
				await checkKept(environment);
				await checkUnknownTemplate(environment);
				await checkQuestion(environment);
				await checkSending(environment);
				await checkTrigger(environment);
			});
			await VariantEnvironment.during(engine, variants, pageSizes, async (environment) => {
				for (const contacts of [0, 1, 4, 9]) await checkListing(environment, contacts);
			});
		},
	);
}
