/** `npm start` installs n8n: what it says before, and when that fails. */
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { explainInstallFailure } from '../../tools/n8n/install';
import { ensureCompiler } from '../../tools/n8n/toolchain';
import { CommandError } from '../../tools/processes';

test.each([
	[
		'npm warn error-ex\nnpm error code E404\nnpm error A complete log',
		false,
		'(npm error code E404): check',
	],
	['', false, 'n8n could not be installed (npm gave no reason)'],
	['added 1,000 packages', true, '(it took too long): check the network'],
])('an installation that fails with %j (timed out: %s) is explained', (output, timedOut, words) => {
	const error = new CommandError('npm ci: ended with 1', output, timedOut);
	expect(explainInstallFailure(error, '/log').message).toContain(words);
});

describe('root on a machine with apt-get, but without a compiler,', () => {
	let folder: string;
	let aptLog: string;
	const environment = { ...process.env };

	beforeEach(() => {
		folder = mkdtempSync(path.join(tmpdir(), 'business-messaging-toolchain-'));
		aptLog = path.join(folder, 'apt.log');
		symlinkSync('/bin/sh', path.join(folder, 'sh'));
		writeFileSync(path.join(folder, 'apt-get'), `#!/bin/sh\necho "$@" >> ${aptLog}\n`);
		chmodSync(path.join(folder, 'apt-get'), 0o755);
		process.env.PATH = folder;
		jest.spyOn(process, 'getuid').mockReturnValue(0);
	});
	afterEach(() => {
		process.env = { ...environment };
		rmSync(folder, { recursive: true });
		jest.restoreAllMocks();
	});

	test('reads that one is installed, and how to prevent that, before it happens', async () => {
		const said: Array<[string, boolean]> = [];
		jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
			said.push([String(text), existsSync(aptLog)]);
			return true;
		});
		await expect(ensureCompiler(path.join(folder, 'log'))).rejects.toThrow('cannot be found');
		expect(said).toEqual([[expect.stringContaining('PLAYGROUND_INSTALL_COMPILER=false'), false]]);
		expect(existsSync(aptLog)).toBe(true);
	});

	test('gets nothing installed into the system if the variable forbids it', async () => {
		process.env.PLAYGROUND_INSTALL_COMPILER = 'false';
		await expect(ensureCompiler(path.join(folder, 'log'))).rejects.toThrow(
			'install them (on Debian or Ubuntu: "sudo apt-get install python3 make g++"',
		);
		expect(existsSync(aptLog)).toBe(false);
	});
});
