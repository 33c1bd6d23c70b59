import { explainInstallFailure } from '../../tools/n8n/install';
import { CommandError } from '../../tools/processes';

const explain = (output: string, timedOut = false) =>
	explainInstallFailure(
		new CommandError('npm ci: ended with 1', output, timedOut),
		'/cache',
		'/log',
	).message;

test.each([
	['npm error code ENOSPC', 'The disk that holds /cache is full'],
	['npm error code ENOTFOUND\nnpm error network', 'n8n could not be downloaded (ENOTFOUND)'],
	['npm error code E404', 'n8n could not be downloaded (E404)'],
	['gyp info\nnpm error something else', 'n8n could not be installed: npm error something else'],
	['', 'n8n could not be installed: npm gave no reason'],
])('an installation of n8n that fails with %j is explained', (output, words) => {
	expect(explain(output)).toContain(words);
});

test('an installation of n8n that takes too long asks for the network to be checked', () => {
	expect(explain('added 1,000 packages', true)).toBe(
		'Downloading n8n took too long: check the network and run the command again (details: /log).',
	);
});
