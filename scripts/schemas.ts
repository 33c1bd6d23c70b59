/** `npm run schemas`: writes the output previews of all operations, from runs of the built nodes against the sandbox. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const jest = path.join(path.dirname(require.resolve('jest/package.json')), 'bin/jest.js');
const env = { ...process.env, WRITE_PREVIEWS: '1' };
const { status } = spawnSync(process.execPath, [jest, 'test/operations/previews.test.ts'], { env, stdio: 'inherit', timeout: 300_000 });
process.exitCode = status ?? 1;
