/** CHANGELOG.md in the form of Keep a Changelog, and whether it, package.json and a tag say the same. */

/** A released version as the changelog has it. */
export interface Release {
	/** e.g. `1.2.0`. */
	version: string;
	/** yyyy-MM-dd. */
	date: string;
	/** What stands below its heading. */
	notes: string;
}

/** What has to agree. */
export interface Versions {
	changelog: string;
	/** Version of package.json. */
	version: string;
	/** Version of package-lock.json. */
	lockVersion: string;
	/** Versions of which there is a file with what they leave in saved workflows. */
	savedVersions: string[];
	/** Tag that is about to be published, e.g. `v1.2.0`; absent for a commit in between. */
	tag?: string;
}

const heading = /^## \[(\d+\.\d+\.\d+(?:-[\w.]+)?)\] - (\d{4}-\d{2}-\d{2})$/;
const unreleased = '## [Unreleased]';

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

/**
 * Makes what stands under Unreleased a release.
 *
 * @param date yyyy-MM-dd
 * @throws Error if nothing stands there
 */
export function cutRelease(changelog: string, version: string, date: string): string {
	const [first = ''] = sections(changelog);
	if (!first.startsWith(unreleased) || first.slice(unreleased.length).trim() === '') {
		throw new Error(
			`Nothing stands under "${unreleased}" in CHANGELOG.md: write there first what has changed`,
		);
	}
	return changelog.replace(unreleased, `${unreleased}\n\n## [${version}] - ${date}`);
}

/** What does not agree, one sentence each. */
export function versionFaults({
	changelog,
	version,
	lockVersion,
	savedVersions,
	tag,
}: Versions): string[] {
	const releases = readReleases(changelog);
	const [newest] = releases;
	const [first = '', ...others] = sections(changelog).map((section) => section.split('\n')[0]);
	const dates = releases.map(({ date }) => date);
	return [
		first !== unreleased &&
			`The first section of CHANGELOG.md is "${first}" instead of "${unreleased}"`,
		...others
			.filter((line) => !heading.test(line))
			.map((line) => `"${line}" in CHANGELOG.md is not of the form "## [1.2.3] - 2030-01-31"`),
		dates.join() !== [...dates].sort().reverse().join() &&
			'The releases in CHANGELOG.md are not in the order of their dates, newest first',
		...releases
			.filter(({ notes }) => notes === '')
			.map((release) => `Nothing stands under ${release.version} in CHANGELOG.md`),
		...[...new Set([version, ...releases.map((release) => release.version)])]
			.filter((one) => !savedVersions.includes(one))
			.map(
				(one) =>
					`There is no test/compat/saved/${one}.json with what version ${one} leaves in saved workflows: npm run saved writes it`,
			),
		lockVersion !== version &&
			`package-lock.json has version ${lockVersion}, package.json ${version}`,
		newest &&
			newest.version !== version &&
			`The newest release in CHANGELOG.md is ${newest.version}, package.json has ${version}`,
		tag !== undefined && !newest && 'CHANGELOG.md has no release',
		tag !== undefined && tag !== `v${version}` && `The tag is ${tag}, package.json has ${version}`,
	].filter((fault) => typeof fault === 'string');
}
