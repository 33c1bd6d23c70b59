import { once } from 'node:events';
import { writeFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { killTree, runCommand, spawnTree, stopTree } from '../../tools/processes';
import { waitFor } from '../../tools/waitFor';

let folder: string;

beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'business-messaging-processes-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program with a child of its own, which writes its id into a file; both run on and on. */
const withChild = (file: string) => [
	'-e',
	`const { spawn } = require('node:child_process');
	const child = spawn('sleep', ['600']);
	require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid));
	console.log('ready');
	setInterval(() => {}, 1000);`,
];

/** Whether the process is there, and more than an entry that nobody has collected. */
function isAlive(pid: number): boolean {
	try {
		return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
	} catch {
		return false;
	}
}

const gone = async (pid: number) =>
	await waitFor(async () => !isAlive(pid), { what: `process ${pid} to end`, limit: 10_000 });

test.each([
	['stopped', async (child: ReturnType<typeof spawnTree>) => await stopTree(child, 5_000)],
	['killed', killTree],
])('a program that is %s takes its children with it', async (_, end) => {
	const file = path.join(folder, 'pid');
	const child = spawnTree(process.execPath, withChild(file), {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	if (child.stdout) await once(child.stdout, 'data');
	await end(child);
	await gone(Number(readFileSync(file, 'utf8')));
});

test('a command that takes too long is killed with its children, and the error shows what it printed', async () => {
	const file = path.join(folder, 'pid');
	await expect(
		runCommand(process.execPath, withChild(file), { limit: 2_000 }),
	).rejects.toMatchObject({
		message: expect.stringContaining('did not finish within 2 s'),
		output: 'ready\n',
		timedOut: true,
	});
	await gone(Number(readFileSync(file, 'utf8')));
});

test('a Node.js program ends when the process that started it is killed', async () => {
	const file = path.join(folder, 'pid');
	const starter = path.join(folder, 'starter.cjs');
	const tools = path.resolve(__dirname, '../../tools');
	const grandchild = `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); console.log('ready'); setInterval(() => {}, 1000);`;
	writeFileSync(
		starter,
		`const { spawn } = require('node:child_process');
		spawn(process.execPath, ['--require', ${JSON.stringify(path.join(tools, 'endWithParent.cjs'))}, '-e', ${JSON.stringify(grandchild)}], { detached: true, stdio: 'inherit' });`,
	);
	const parent = spawnTree(process.execPath, [starter], { stdio: ['ignore', 'pipe', 'inherit'] });
	if (parent.stdout) await once(parent.stdout, 'data');
	parent.kill('SIGKILL');
	await gone(Number(readFileSync(file, 'utf8')));
});

test('a command that cannot be started, or fails, says so', async () => {
	await expect(runCommand('no-such-command', [], { limit: 5_000 })).rejects.toThrow('ENOENT');
	await expect(runCommand('sh', ['-c', 'exit 3'], { limit: 5_000 })).rejects.toThrow(
		'ended with 3',
	);
	expect(
		await runCommand('sh', ['-c', 'echo "$VALUE"'], { limit: 5_000, env: { VALUE: 'a' } }),
	).toBe('a\n');
});
