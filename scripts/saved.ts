/** `npm run saved`: writes what the present nodes save in workflows, as the version of package.json. The tests run these nodes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { writeSaved } from '../test/compat/saved/fixtures';
import { presentNodes, presentShape } from '../test/compat/saved/present';
import { readReleases } from './changelog';

const read = (name: string) => readFileSync(path.resolve(__dirname, '..', name), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

if (readReleases(read('CHANGELOG.md')).some((release) => release.version === version))
	throw new Error(
		`Version ${version} is released: what it saves never changes. A release notes what the next version saves.`,
	);
writeSaved(version, { nodes: presentNodes(), shape: presentShape() });
