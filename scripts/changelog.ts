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

/** A released version as the changelog has it. */
export interface Release {
	version: string;
	/** yyyy-MM-dd. */
	date: string;
	/** The text below its heading. */
	notes: string;
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

const heading = /^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$/;
const unreleased = '## [Unreleased]';

/** `1.2.0-next.0`: its changes stay under Unreleased, and npm gives it only to those who ask for `next`. */
export function isPrerelease(version: string): boolean {
	return version.includes('-');
}

/** The parts of the changelog, each with its `## ` heading. */
function sections(changelog: string): string[] {
	return changelog.split(/^(?=## )/m).slice(1);
}

/** The releases, newest first. */
export function readReleases(changelog: string): Release[] {
	return sections(changelog).flatMap((section) => {
		const [first, ...rest] = section.split('\n');
		const [, version, date] = heading.exec(first) ?? [];
		return version === undefined ? [] : [{ version, date, notes: rest.join('\n').trim() }];
	});
}

/** What is written under Unreleased. */
function unreleasedNotes(changelog: string): string {
	const [first = ''] = sections(changelog);
	return first.startsWith(unreleased) ? first.slice(unreleased.length).trim() : '';
}

/** What a version brings. */
export function notesOf(changelog: string, version: string): string {
	if (isPrerelease(version)) return unreleasedNotes(changelog);
	return readReleases(changelog).find((release) => release.version === version)?.notes ?? '';
}

/**
 * Makes the changes under Unreleased a release; a prerelease leaves them there.
 *
 * @param date yyyy-MM-dd
 * @throws Error if there are none
 */
export function cutRelease(changelog: string, version: string, date: string): string {
	if (unreleasedNotes(changelog) === '')
		throw new Error(`Write the changes under "${unreleased}" in CHANGELOG.md first.`);
	if (isPrerelease(version)) return changelog;
	return changelog.replace(unreleased, `${unreleased}\n\n## [${version}] - ${date}`);
}

/** What does not agree, one sentence each. */
export function versionFaults(versions: Versions): string[] {
	const { changelog, version, lockVersion, tag } = versions;
	const faults = changelogFaults(changelog);
	if (lockVersion !== version)
		faults.push(`package-lock.json has version ${lockVersion}, package.json has ${version}.`);
	if (tag !== undefined && tag !== `v${version}`)
		faults.push(`The tag is ${tag}, package.json has ${version}.`);
	if (tag !== undefined && notesOf(changelog, version) === '')
		faults.push(`CHANGELOG.md says nothing about ${version}.`);
	if (isPrerelease(version)) return faults;

	const released = readReleases(changelog).map((release) => release.version);
	if (released.length > 0 && released[0] !== version)
		faults.push(
			`The newest release in CHANGELOG.md is ${released[0]}, package.json has ${version}.`,
		);
	for (const one of new Set([version, ...released])) {
		if (!versions.savedVersions.includes(one))
			faults.push(`There is no test/compat/saved/${one}.json: npm run docs writes it.`);
	}
	return faults;
}

function changelogFaults(changelog: string): string[] {
	const faults: string[] = [];
	const [first = '', ...others] = sections(changelog).map((section) => section.split('\n')[0]);
	if (first !== unreleased)
		faults.push(`The first section of CHANGELOG.md is "${first}" instead of "${unreleased}".`);
	for (const line of others.filter((other) => !heading.test(other)))
		faults.push(`"${line}" in CHANGELOG.md is not of the form "## [1.2.3] - 2030-01-31".`);
	const releases = readReleases(changelog);
	const dates = releases.map(({ date }) => date);
	if (dates.join() !== [...dates].sort().reverse().join())
		faults.push('The releases in CHANGELOG.md are not in the order of their dates, newest first.');
	for (const { version } of releases.filter(({ notes }) => notes === ''))
		faults.push(`CHANGELOG.md says nothing about ${version}.`);
	return faults;
}
