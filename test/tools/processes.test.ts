import { once } from 'node:events';
import {
	mkdtempSync,
	readFileSync,
	rmSync,
	chmodSync,
	existsSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killTree, runCommand, spawnTree, stopTree, CommandError } from '../../tools/processes';
import { until } from '../../tools/until';
import { explainInstallFailure } from '../../tools/n8n/install';
import { ensureCompiler } from '../../tools/n8n/toolchain';

let folder: string;
let file: string;

beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'business-messaging-processes-'));
	file = path.join(folder, 'pid');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program that writes the id of its child into a file; both run on and on. */
const withChild = (command = "'sleep', ['600']", options = '{}', says = 'ready') => [
	'-e',
	`const child = require('node:child_process').spawn(${command}, ${options});
	require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid));
	process.stdout.write('${says}');
	setInterval(() => {}, 1000);`,
];

/** Starts such a program, and waits until it has its child. It is a promise of its end itself, so it comes in an object. */
async function start(args: string[]) {
	const program = spawnTree(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
	await once(program.stdout!, 'data');
	return { program };
}

/** Whether the process is there, and more than an entry that nobody has collected. */
function isAlive(pid: number): boolean {
	try {
		return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
	} catch {
		return false;
	}
}

async function expectChildGone(): Promise<void> {
	const pid = Number(readFileSync(file, 'utf8'));
	await until(`process ${pid} to end`, () => !isAlive(pid));
}

test.each([
	['stopped', async (child: ReturnType<typeof spawnTree>) => await stopTree(child, 5_000)],
	['killed', killTree],
])('a program that is %s takes its children with it', async (_, end) => {
	const { program } = await start(withChild());
	await end(program);
	await expectChildGone();
});

test('a command that takes too long is killed with its children, and the error shows what it printed', async () => {
	await expect(runCommand(process.execPath, withChild(), { limit: 2_000 })).rejects.toMatchObject({
		message: expect.stringContaining('did not finish within 2 s'),
		output: 'ready',
		timedOut: true,
	});
	await expectChildGone();
});

test('a Node.js program ends when the process that started it is killed', async () => {
	const required = JSON.stringify(path.resolve(__dirname, '../../tools/endWithParent.cjs'));
	const code = JSON.stringify("console.log('ready'); setInterval(() => {}, 1000);");
	const child = `process.execPath, ['--require', ${required}, '-e', ${code}]`;
	const { program } = await start(withChild(child, "{ detached: true, stdio: 'inherit' }", ''));
	program.kill('SIGKILL');
	await expectChildGone();
});

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
	let aptLog: string;
	const environment = { ...process.env };

	beforeEach(() => {
		aptLog = path.join(folder, 'apt.log');
		symlinkSync('/bin/sh', path.join(folder, 'sh'));
		writeFileSync(path.join(folder, 'apt-get'), `#!/bin/sh\necho "$@" >> ${aptLog}\n`);
		chmodSync(path.join(folder, 'apt-get'), 0o755);
		process.env.PATH = folder;
		jest.spyOn(process, 'getuid').mockReturnValue(0);
	});
	afterEach(() => {
		process.env = { ...environment };
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
