/** The test suites for the mutants of a folder, in one file, so that the package is loaded only once for each mutant. */
import { suitesOf } from '../../harness/mutation/suites';

// Some tests have their seed in their names. Each process finds a test again by its name, so the seed is the same in all.
process.env.TEST_SEED ??= '1';

for (const suite of suitesOf[process.env.MUTATION_FOLDER ?? 'transport']) {
	describe(suite, () => {
		// eslint-disable-next-line @typescript-eslint/no-require-imports
		require(`../${suite}.test`);
	});
}
