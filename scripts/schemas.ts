/** `npm run schemas`: writes the output previews of all operations, from runs of the built nodes against the sandbox. */
import { runTestWith } from './runTestWith';

runTestWith('test/operations/previews.test.ts', { WRITE_PREVIEWS: '1' });
