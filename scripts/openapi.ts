/** `npm run openapi`: writes docs/openapi.json. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { buildOpenApiDocument } from '../sandbox/openapi';

const docs = join(__dirname, '..', 'docs');
mkdirSync(docs, { recursive: true });
writeFileSync(join(docs, 'openapi.json'), `${JSON.stringify(buildOpenApiDocument(), null, 2)}\n`);
