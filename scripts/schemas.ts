/** `npm run schemas`: writes the output previews of all operations, from runs of the built nodes against the sandbox. */
import { execaSync } from 'execa';

const { exitCode } = execaSync('npx', ['jest', 'test/operations/previews.test.ts'], { env: { WRITE_PREVIEWS: '1' }, stdio: 'inherit', reject: false });
process.exitCode = exitCode ?? 1;
