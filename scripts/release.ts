/**
 * `npm run release -- …`:
 * - `setup --author NAME --email EMAIL --repository OWNER/NAME` puts them in place of the placeholders, once;
 * - `patch`, `minor`, `major`, `prerelease` or a version such as `0.1.0` makes a release: version, changelog, record of what it saves
 *   in workflows, commit and tag;
 * - `check [tag]` says whether all of these agree;
 * - `notes` prints the changes of the version in package.json.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { savedVersions } from '../test/compat/saved/present';
import {
	changelogFile,
	cutRelease,
	isPrerelease,
	notesOf,
	readChangelog,
	readVersion,
	root,
	versionFaults,
} from './changelog';

const increments = ['patch', 'minor', 'major', 'prepatch', 'preminor', 'premajor', 'prerelease'];

/** Runs a command in the project's folder. @returns what it prints */
function run(command: string, ...options: string[]): string {
	return execFileSync(command, options, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** Who publishes the package, and where its sources are, e.g. `acme/n8n-nodes-business-messaging` on GitHub. */
interface Owner {
	author: string;
	email: string;
	repository: string;
}

interface Manifest {
	author: { name: string; email: string };
	repository: { url: string };
}

const placeholder: Owner = {
	author: 'Your Name',
	email: 'you@example.com',
	repository: 'your-organization/n8n-nodes-business-messaging',
};

const manifestFile = path.join(root, 'package.json');
const readManifest = () => JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;

/** Files under version control that contain a text; scripts, their tests and examples, which name the placeholders, are left out. */
function filesWith(text: string): string[] {
	const files = run('git', 'ls-files', '--', '.', ':!scripts', ':!test', ':!examples').split('\n');
	return files.filter((file) => readFileSync(path.join(root, file), 'utf8').includes(text));
}

/** Placeholders that are left, one sentence each. */
function placeholdersLeft(): string[] {
	const { author, email, repository } = placeholder;
	return [author, email, repository].flatMap((text) =>
		filesWith(text).map((file) => `${file} names ${text}.`),
	);
}

/** Writes the author and the repository wherever they are named. */
function setOwner({ author, email, repository }: Owner): void {
	const [, before = ''] =
		/github\.com\/([^/]+\/[^/]+?)(\.git)?$/.exec(readManifest().repository.url) ?? [];
	for (const name of filesWith(before)) {
		const file = path.join(root, name);
		writeFileSync(file, readFileSync(file, 'utf8').replaceAll(before, repository));
	}
	const manifest = { ...readManifest(), author: { name: author, email } };
	writeFileSync(manifestFile, `${JSON.stringify(manifest, null, '\t')}\n`);
}

function faults(tag?: string): string[] {
	return versionFaults({
		changelog: readChangelog(),
		version: readVersion(),
		lockVersion: readVersion('package-lock.json'),
		savedVersions: savedVersions(),
		tag,
	});
}

function refuse(reasons: string[]): void {
	if (reasons.length > 0) throw new Error(reasons.join('\n'));
}

function check(tag: string | undefined): void {
	refuse(faults(tag));
	if (tag !== undefined) refuse(placeholdersLeft());
	console.log(`Version ${readVersion()}${tag ? ` and tag ${tag}` : ''}: everything agrees`);
}

function setup(values: Partial<Owner>): void {
	const { author, email, repository } = values;
	if (!author || !email || !repository || !/^[\w.-]+\/[\w.-]+$/.test(repository))
		throw new Error(
			'Usage: npm run release -- setup --author NAME --email EMAIL --repository OWNER/NAME',
		);
	setOwner({ author, email, repository });
	console.log('Done. Look at the changes (git diff) and commit them.');
}

/** Sets the version, records what it saves and dates the changelog; nothing is committed yet. */
function prepare(increment: string): string {
	const options = ['--no-git-tag-version', '--ignore-scripts', '--allow-same-version'];
	run('npm', 'version', increment, '--preid', 'next', ...options);
	const version = readVersion();
	const today = new Date().toISOString().slice(0, 10);
	const changelog = cutRelease(readChangelog(), version, today);
	if (!isPrerelease(version)) run('npm', 'run', '--silent', 'docs', '--', 'saved');
	writeFileSync(changelogFile, changelog);
	return version;
}

function release(increment: string): void {
	refuse([
		...(run('git', 'branch', '--show-current') === 'main' ? [] : ['Releases are made on main.']),
		...(run('git', 'status', '--porcelain') === '' ? [] : ['Commit your changes first.']),
		...placeholdersLeft(),
	]);
	try {
		const tag = `v${prepare(increment)}`;
		refuse([
			...faults(tag),
			...(run('git', 'tag', '--list', tag) === '' ? [] : [`There is already a tag ${tag}.`]),
		]);
		run('git', 'add', '--all');
		run('git', 'commit', '--quiet', '--message', `Release ${tag}`);
		run('git', 'tag', '--annotate', tag, '--message', tag);
		console.log(`Release ${tag} is committed and tagged. Publish it: git push --follow-tags`);
	} catch (error) {
		// The working tree was clean: everything that is there now was made here.
		run('git', 'reset', '--quiet', '--hard');
		run('git', 'clean', '--quiet', '--force', 'test/compat/saved');
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
	if (command === 'check') check(tag);
	else if (command === 'setup') setup(values);
	else if (command === 'notes') console.log(notesOf(readChangelog(), readVersion()));
	else if (increments.includes(command) || /^\d+\.\d+\.\d+/.test(command)) release(command);
	else throw new Error(`Usage: npm run release -- ${increments.join('|')}|VERSION`);
}

try {
	main();
} catch (error) {
	const { stderr = '' } = error as { stderr?: string };
	process.stderr.write(`${(error as Error).message}\n${stderr}`);
	process.exitCode = 1;
}
