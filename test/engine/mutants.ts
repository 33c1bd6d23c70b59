/**
 * The suites that mutants are held against, in one file: the package is loaded once for each mutant. The quick ones come first, as
 * the first test that fails ends the run. Those that mostly wait are left out.
 */
const suites = [
	'transport/serviceConfig',
	'transport/lists',
	'transport/errors',
	'operations/everyOperation',
	'operations/inputs',
	'operations/results',
	'operations/template',
	'transport/client',
	'transport/registerWebhook',
	'credentials/credential',
	'reply/asking',
	'security/credential',
	'operations/upsert',
	'transport/rate',
	'execution/fallback',
	'execution/audience',
	'execution/preview',
	'transport/faults',
	'execution/sendWindow',
	'execution/expressions',
	'editor/templates',
	'execution/sendOnce',
	'reply/answering',
];

for (const suite of suites) {
	describe(suite, () => {
		// eslint-disable-next-line @typescript-eslint/no-require-imports
		require(`./${suite}.test`);
	});
}
