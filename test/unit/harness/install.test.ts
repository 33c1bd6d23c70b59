/** The installation of n8n: what it says when something is missing or fails. */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureCompiler, explainInstallFailure } from '../../../harness/n8n/install';
import { CommandError } from '../../../harness/processes';

test.each([
	['npm warn error-ex\nnpm error code E404\nnpm error A complete log', '(npm error code E404)'],
	['added 1,000 packages', '(npm ci: ended with 1)'],
])('an installation that fails with %j is explained', (output, words) => {
	const { message } = explainInstallFailure(
		new CommandError('npm ci: ended with 1', output, false),
		'/log',
	);
	expect(message).toContain(`n8n could not be installed ${words}: check the network`);
});

describe('root on a machine with apt-get, but without a compiler,', () => {
	let folder: string;
	let aptLog: string;
	const environment = { ...process.env };

	beforeEach(() => {
		folder = mkdtempSync(path.join(tmpdir(), 'business-messaging-install-'));
		aptLog = path.join(folder, 'apt.log');
		writeFileSync(path.join(folder, 'apt-get'), `#!/bin/sh\necho "$@" >> ${aptLog}\nexit 1\n`);
		chmodSync(path.join(folder, 'apt-get'), 0o755);
		process.env.PATH = folder;
		jest.spyOn(process, 'getuid').mockReturnValue(0);
	});
	afterEach(() => {
		process.env = { ...environment };
		jest.restoreAllMocks();
		rmSync(folder, { recursive: true });
	});

	test('reads that a compiler will be installed, and how to prevent that, before it happens', async () => {
		const said: Array<[string, boolean]> = [];
		jest
			.spyOn(console, 'error')
			.mockImplementation((text) => void said.push([String(text), existsSync(aptLog)]));
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
