/**
 * The suites that mutants are held against, in one file: the package is loaded once for each mutant. The quick ones come first, as
 * the first test that fails ends the run.
 */
const suites = [
	'operations/everyOperation',
	'operations/inputs',
	'operations/answers',
	'operations/template',
	'transport/refusals',
	'variants/updateMethod',
	'transport/requests',
	'transport/retryAfter',
	'transport/webhookForms',
	'transport/pages',
	'credentials/credential',
	'security/baseUrl',
	'reply/asking',
	'execution/campaign',
	'transport/faults',
	'transport/rateLimiter',
];

for (const suite of suites) {
	describe(suite, () => {
		// eslint-disable-next-line @typescript-eslint/no-require-imports
		require(`../${suite}.test`);
	});
}
