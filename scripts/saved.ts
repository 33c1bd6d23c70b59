/** `npm run saved`: notes what the present nodes save in workflows, as the version of package.json, and runs the workflows of all versions. */
import { runTestWith } from './runTestWith';

runTestWith('test/compat/saved.test.ts', { WRITE_SAVED: '1' });
