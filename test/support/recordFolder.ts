import path from 'node:path';

import { root } from './build';

/** Where each test file leaves a record of its calls; docs/coverage.json is made from them, and they are not kept. */
export const recordFolder = path.join(root, 'coverage-data');
