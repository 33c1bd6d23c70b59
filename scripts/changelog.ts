/** CHANGELOG.md in the form of Keep a Changelog, and whether it, package.json and a tag agree. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The project's folder. */
export const root = path.resolve(__dirname, '..');

export const changelogFile = path.join(root, 'CHANGELOG.md');

/** The text of the changelog. */
export function readChangelog(): string {
	return readFileSync(changelogFile, 'utf8');
}

/** The version in package.json or package-lock.json. */
export function readVersion(file: 'package.json' | 'package-lock.json' = 'package.json'): string {
	return (JSON.parse(readFileSync(path.join(root, file), 'utf8')) as { version: string }).version;
}

/** What has to agree. */
export interface Versions {
	changelog: string;
	/** Versions of package.json and package-lock.json. */
	version: string;
	lockVersion: string;
	/** Versions with a file of what they save in workflows. */
	savedVersions: string[];
	/** Tag to publish, e.g. `v1.2.0`; absent for a commit between releases. */
	tag?: string;
}

const unreleased = '## [Unreleased]';

/** `1.2.0-next.0`: its changes stay under Unreleased, and npm gives it only to those who ask for `next`. */
export function isPrerelease(version: string): boolean {
	return version.includes('-');
}

/** The released versions, newest first. */
export function releasedVersions(changelog: string): string[] {
	const headings = changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/gm);
	return [...headings].map(([, version]) => version);
}

/** The changes of a version; empty if the changelog does not have it. */
export function notesOf(changelog: string, version: string): string {
	return sectionOf(changelog, isPrerelease(version) ? unreleased : `## [${version}] - `);
}

/** The text below a heading. */
function sectionOf(changelog: string, heading: string): string {
	const section = changelog.split(/^(?=## )/m).find((one) => one.startsWith(heading)) ?? '';
	return section.split('\n').slice(1).join('\n').trim();
}

/** Makes the changes under Unreleased a release of a day (yyyy-MM-dd); a prerelease leaves them there. @throws Error if there are none */
export function cutRelease(changelog: string, version: string, date: string): string {
	if (sectionOf(changelog, unreleased) === '')
		throw new Error(`Write the changes under "${unreleased}" in CHANGELOG.md first.`);
	if (isPrerelease(version)) return changelog;
	return changelog.replace(unreleased, `${unreleased}\n\n## [${version}] - ${date}`);
}

/** What does not agree, one sentence each. */
export function versionFaults(versions: Versions): string[] {
	const { changelog, version, lockVersion, savedVersions, tag } = versions;
	const released = releasedVersions(changelog);
	const [newest = version] = released;
	const stable = isPrerelease(version) ? [] : [version];
	const unsaved = [...new Set([...stable, ...released])].filter(
		(one) => !savedVersions.includes(one),
	);
	const faults: Array<[isWrong: boolean, words: string]> = [
		[!changelog.includes(`\n${unreleased}\n`), `CHANGELOG.md has no "${unreleased}".`],
		[lockVersion !== version, `package-lock.json has ${lockVersion}, package.json ${version}.`],
		[tag !== undefined && tag !== `v${version}`, `The tag is ${tag}, package.json has ${version}.`],
		[tag !== undefined && !notesOf(changelog, version), `CHANGELOG.md lacks ${version}.`],
		[
			stable.length > 0 && newest !== version,
			`The newest release in CHANGELOG.md is ${newest}, package.json has ${version}.`,
		],
		[
			unsaved.length > 0,
			`npm run docs writes what is missing: test/compat/saved/${unsaved[0]}.json.`,
		],
	];
	return faults.filter(([isWrong]) => isWrong).map(([, words]) => words);
}
