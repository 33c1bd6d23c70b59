/** `npm run docs` writes with it what the present nodes save in workflows, as the version of package.json. The tests run these nodes. */
import { writeSaved } from '../test/compat/saved/fixtures';
import { presentNodes, presentShape } from '../test/compat/saved/present';
import { readReleases } from './changelog';
import { readChangelog, readVersion } from './repository';

const version = readVersion();
if (readReleases(readChangelog()).some((release) => release.version === version))
	throw new Error(
		`Version ${version} is released, and what it saves never changes. A release writes what the next version saves.`,
	);
writeSaved(version, { nodes: presentNodes(), shape: presentShape() });
