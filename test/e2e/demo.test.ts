/** `npm run demo` as a person runs it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { runCommand } from '../../tools/processes';
import { readSampleContacts } from '../../tools/examples';
import { root } from '../support/build';

test('npm run demo reaches everybody, answers everybody once, leaves nothing behind and ends with 0', async () => {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-demo-test-'));
	const file = path.join(folder, 'demo.json');
	const everybody = readSampleContacts().length;
	try {
		const output = await runCommand('npm', ['run', 'demo', '--', '--json', file], {
			cwd: root,
			limit: 10 * 60_000,
		});
		expect(output).toMatch(new RegExp(`replied +${everybody}\\b`));
		const expected = {
			n8nVersion: '2.41.1',
			contacts: everybody,
			sent: everybody,
			delivered: everybody,
			read: everybody,
			answered: everybody,
			replied: everybody,
			lost: 0,
			doubled: 0,
			webhooksLeft: 0,
			seconds: expect.any(Number) as number,
		};
		expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(expected);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});
