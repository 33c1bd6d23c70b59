import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
	END_WITH_PARENT,
	killTree,
	runCommand,
	spawnTree,
	stopTree,
} from '../../../harness/processes';
import { until } from '../../../harness/until';

let folder: string;
let file: string;

beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'business-messaging-processes-'));
	file = path.join(folder, 'pid');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program that writes the id of its child into a file; both run on and on. */
const withChild = (child = "'sleep', ['600']", says = 'ready') => [
	'-e',
	`const child = require('node:child_process').spawn(${child});
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

describe('a command whose child runs on', () => {
	// A shell has started long before its time is up, even on a busy machine; Node.js may not have.
	const run = async (end: string) => {
		const program = `sleep 600 & echo $! > '${file}'; printf ready; ${end}`;
		return await runCommand('sh', ['-c', program], { limit: 2_000 });
	};

	test('is killed with it if it takes too long, and the error shows what it printed', async () => {
		await expect(run('wait')).rejects.toMatchObject({
			message: expect.stringContaining('timed out after 2000 milliseconds'),
			output: 'ready',
			timedOut: true,
		});
		await expectChildGone();
	});

	test('gives what it printed if it has ended in time itself, and the child is killed', async () => {
		expect(await run('exit 0')).toBe('ready');
		await expectChildGone();
	});

	test.each(['exit 3', 'kill -KILL $$'])(
		'fails if it has failed itself by %s, and the child is killed',
		async (end) => {
			await expect(run(end)).rejects.toMatchObject({ output: 'ready', timedOut: false });
			await expectChildGone();
		},
	);
});

test('a Node.js program ends when the process that started it is killed', async () => {
	const code = "process.stdout.write('ready'); setInterval(() => {}, 1000);";
	const args = JSON.stringify(['--require', END_WITH_PARENT, '-e', code]);
	const child = `process.execPath, ${args}, { detached: true, stdio: 'inherit' }`;
	const { program } = await start(withChild(child, ''));
	program.kill('SIGKILL');
	await expectChildGone();
});
