import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { ensureCompiler } from '../../tools/n8n/toolchain';

/** A machine with a shell and apt-get, but without a compiler; root uses it. */
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

test('npm start as root says that it installs a compiler, and how to prevent that, before it does', async () => {
	const said: Array<[string, boolean]> = [];
	jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
		said.push([String(text), existsSync(aptLog)]);
		return true;
	});
	await expect(ensureCompiler(path.join(folder, 'log'))).rejects.toThrow('cannot be found');
	expect(said).toEqual([[expect.stringContaining('PLAYGROUND_INSTALL_COMPILER=false'), false]]);
	expect(existsSync(aptLog)).toBe(true);
});

test('npm start installs nothing into the system if the variable forbids it', async () => {
	process.env.PLAYGROUND_INSTALL_COMPILER = 'false';
	await expect(ensureCompiler(path.join(folder, 'log'))).rejects.toThrow(
		'install them (on Debian or Ubuntu: "sudo apt-get install python3 make g++")',
	);
	expect(existsSync(aptLog)).toBe(false);
});
