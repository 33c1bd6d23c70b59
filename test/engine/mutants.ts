/** The test suites for the mutants of a folder, in one file, so that the package is loaded only once for each mutant. */
import { suitesOf } from '../../harness/mutation/suites';

// Stryker finds the tests that notice a mutant by their names. Some names contain the seed, so it has to stay the same.
process.env.TEST_SEED ??= '1';

for (const suite of suitesOf[process.env.MUTATION_FOLDER ?? 'transport']) {
	describe(suite, () => {
		// eslint-disable-next-line @typescript-eslint/no-require-imports
		require(`../${suite}.test`);
	});
}
