/**
 * `npm run release -- …`:
 * - `setup --author NAME --email EMAIL --repository OWNER/NAME` puts them in place of the placeholders, once;
 * - `patch`, `minor`, `major`, `prerelease` or a version such as `0.1.0` makes a release: version, changelog, record of what it saves
 *   in workflows, commit and tag;
 * - `check [tag]` says whether all of these agree;
 * - `notes` prints the changes of the version in package.json.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { savedVersions } from '../harness/savedWorkflows';
import { readText, root } from '../harness/engine/files';

const increments = ['patch', 'minor', 'major', 'prepatch', 'preminor', 'premajor', 'prerelease'];
const unreleased = '## [Unreleased]';
/** Placeholders of a new clone: for the publisher of the package, and for the address of its sources on GitHub. */
const placeholders = {
	author: 'Your Name',
	email: 'you@example.com',
	repository: 'your-organization/n8n-nodes-business-messaging',
};

/** Runs a command in the project's folder. @returns what it prints */
function run(command: string, ...options: string[]): string {
	return execFileSync(command, options, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function readVersion(file = 'package.json'): string {
	return (JSON.parse(readText(file)) as { version: string }).version;
}

/**
 * Whether a version is a prerelease such as `1.2.0-next.0`: its changes stay under Unreleased, and npm installs it only
 * for those who ask for `next`.
 */
const isPrerelease = (version: string) => version.includes('-');

/** The changes of a version; empty if the changelog does not have it. */
function notesOf(version: string): string {
	return sectionOf(isPrerelease(version) ? unreleased : `## [${version}] - `);
}

/** The text below a heading of the changelog. */
function sectionOf(heading: string): string {
	const sections = readText('CHANGELOG.md').split(/^(?=## )/m);
	const section = sections.find((one) => one.startsWith(heading)) ?? '';
	return section.split('\n').slice(1).join('\n').trim();
}

/** Files under version control that contain a text. Scripts, their tests and examples are left out, because they name the placeholders. */
function filesWith(text: string): string[] {
	const files = run('git', 'ls-files', '--', '.', ':!scripts', ':!test', ':!examples').split('\n');
	return files.filter((file) => readText(file).includes(text));
}

/** The placeholders that are left, one sentence each. */
function placeholdersLeft(): string[] {
	return Object.values(placeholders).flatMap((text) =>
		filesWith(text).map((file) => `${file} names ${text}.`),
	);
}

function setup(values: Partial<typeof placeholders>): void {
	const { author, email, repository } = values;
	if (!author || !email || !repository || !/^[\w.-]+\/[\w.-]+$/.test(repository))
		throw new Error(
			'Usage: npm run release -- setup --author NAME --email EMAIL --repository OWNER/NAME',
		);
	for (const [name, value] of Object.entries({ author, email, repository })) {
		const placeholder = placeholders[name as keyof typeof placeholders];
		for (const file of filesWith(placeholder))
			writeFileSync(
				path.join(root, file),
				readText(file).replaceAll(placeholder, () => value),
			);
	}
	console.log('Done. Look at the changes (git diff) and commit them.');
}

function refuse(reasons: string[]): void {
	if (reasons.length > 0) throw new Error(reasons.join('\n'));
}

/**
 * @throws Error unless these agree: the version, the lock file, the changelog, the record of what the version saves in
 * workflows, and the tag to publish
 */
function check(tag?: string): void {
	const version = readVersion();
	const lockVersion = readVersion('package-lock.json');
	const isSaved = isPrerelease(version) || savedVersions().includes(version);
	const saved = `test/n8n/compat/saved/${version}.json`;
	refuse([
		...(lockVersion === version ? [] : [`package-lock.json has ${lockVersion}, not ${version}.`]),
		...(isSaved ? [] : [`npm run docs writes what is missing: ${saved}.`]),
	]);
	if (tag === undefined) return;
	refuse([
		...(tag === `v${version}` ? [] : [`The tag is ${tag}, package.json has ${version}.`]),
		...(notesOf(version) ? [] : [`CHANGELOG.md lacks ${version}.`]),
		...placeholdersLeft(),
	]);
}

/** Sets the version, records what it saves in workflows, and dates the changelog. Commits nothing. */
function prepare(increment: string): string {
	const options = ['--no-git-tag-version', '--ignore-scripts', '--allow-same-version'];
	run('npm', 'version', increment, '--preid', 'next', ...options);
	const version = readVersion();
	if (isPrerelease(version)) return version;
	run('npm', 'run', '--silent', 'docs', '--', 'saved');
	const heading = `## [${version}] - ${new Date().toISOString().slice(0, 10)}`;
	const changelog = readText('CHANGELOG.md').replace(unreleased, `${unreleased}\n\n${heading}`);
	writeFileSync(path.join(root, 'CHANGELOG.md'), changelog);
	return version;
}

function release(increment: string): void {
	const hasChanges = sectionOf(unreleased) !== '';
	refuse([
		...(run('git', 'branch', '--show-current') === 'main' ? [] : ['Releases are made on main.']),
		...(run('git', 'status', '--porcelain') === '' ? [] : ['Commit your changes first.']),
		...(hasChanges ? [] : [`Write the changes under "${unreleased}" in CHANGELOG.md first.`]),
		...placeholdersLeft(),
	]);
	const before = run('git', 'rev-parse', 'HEAD');
	try {
		const tag = `v${prepare(increment)}`;
		check(tag);
		run('git', 'add', '--all');
		run('git', 'commit', '--quiet', '--message', `Release ${tag}`);
		run('git', 'tag', '--annotate', tag, '--message', tag);
		console.log(`Release ${tag} is committed and tagged. Publish it: git push --follow-tags`);
	} catch (error) {
		// The working tree was clean before, so all changes in it are ours.
		run('git', 'reset', '--quiet', '--hard', before);
		run('git', 'clean', '--quiet', '--force', 'test/n8n/compat/saved');
		throw error;
	}
}

function main(): void {
	const string = { type: 'string' } as const;
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { author: string, email: string, repository: string },
	});
	const [command = '', tag] = positionals;
	if (command === 'setup') setup(values);
	else if (command === 'notes') console.log(notesOf(readVersion()));
	else if (increments.includes(command) || /^\d+\.\d+\.\d+/.test(command)) release(command);
	else if (command === 'check') {
		check(tag);
		console.log(`Version ${readVersion()}${tag ? ` and tag ${tag}` : ''}: everything agrees`);
	} else throw new Error(`Usage: npm run release -- ${increments.join('|')}|VERSION`);
}

try {
	main();
} catch (error) {
	const { stderr = '' } = error as { stderr?: string };
	process.stderr.write(`${(error as Error).message}\n${stderr}`);
	process.exitCode = 1;
}
