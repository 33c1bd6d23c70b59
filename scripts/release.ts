/**
 * The version of a release. `npm run release:check [tag]` says whether package.json, package-lock.json, CHANGELOG.md, the notes
 * of what it leaves in saved workflows and the tag agree; `npm version` dates the changelog with it; `npm run --silent release:notes` prints what the newest release brings.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { savedVersions } from '../test/compat/saved/fixtures';
import { cutRelease, readReleases, versionFaults } from './changelog';

const file = (name: string) => path.resolve(__dirname, '..', name);
const versionOf = (name: string) =>
	(JSON.parse(readFileSync(file(name), 'utf8')) as { version: string }).version;

const [command, tag] = process.argv.slice(2);
const changelog = readFileSync(file('CHANGELOG.md'), 'utf8');
const version = versionOf('package.json');

switch (command) {
	case 'check': {
		const faults = versionFaults({
			changelog,
			version,
			lockVersion: versionOf('package-lock.json'),
			savedVersions: savedVersions(),
			tag,
		});
		console.log(
			faults.length === 0
				? `Version ${version}${tag ? ` and tag ${tag}` : ''}: all agree`
				: faults.join('\n'),
		);
		process.exitCode = faults.length === 0 ? 0 : 1;
		break;
	}
	case 'cut':
		writeFileSync(
			file('CHANGELOG.md'),
			cutRelease(changelog, version, new Date().toISOString().slice(0, 10)),
		);
		break;
	case 'notes':
		console.log(readReleases(changelog)[0]?.notes ?? '');
		break;
	default:
		throw new Error(`"${command}" is none of check, cut, notes`);
}
