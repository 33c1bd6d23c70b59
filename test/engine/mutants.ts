/** The suites that mutants of a folder are held against, in one file: the package is loaded once for each mutant. */
import { suitesOf } from '../../harness/mutation/suites';

for (const suite of suitesOf[process.env.MUTATION_FOLDER ?? 'transport']) {
	describe(suite, () => {
		// eslint-disable-next-line @typescript-eslint/no-require-imports
		require(`../${suite}.test`);
	});
}
