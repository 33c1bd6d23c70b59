'use strict';
// Runs the suites twice in one process, without a mutant. Packages keep what they know from one run to the next (see
// harness/jest/sharedPackages.js). If this made the second run fail, every mutant would count as noticed.
const path = require('node:path');

const { runCLI } = require('jest');

const root = path.resolve(__dirname, '../..');

async function main() {
	const config = path.join(__dirname, 'jest.config.js');
	const options = { $0: 'jest', _: [], config, runInBand: true, silent: true, verbose: false };
	for (let time = 1; time <= 2; time++) {
		const { results } = await runCLI(options, [root]);
		if (!results.success || results.numPassedTests === 0)
			throw new Error(`The suites fail by themselves, in run ${time}`);
	}
}

main().then(
	() => process.exit(0),
	(error) => {
		process.stderr.write(`${error.message}\n`);
		process.exit(1);
	},
);
