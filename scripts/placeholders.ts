/** The author and the repository, which are placeholders until `npm run release -- setup` is given real ones. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { root } from './repository';

/** Who publishes the package, and where its sources are. */
export interface Owner {
	author: string;
	email: string;
	/** e.g. `acme/n8n-nodes-business-messaging` on GitHub. */
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

/** Files under version control that contain a text; scripts and their tests, which name the placeholders, are left out. */
function filesWith(text: string): string[] {
	const options = ['grep', '--files-with-matches', '--fixed-strings', '-I', '-e', text];
	try {
		const places = ['--', '.', ':!scripts', ':!test'];
		const output = execFileSync('git', [...options, ...places], { cwd: root, encoding: 'utf8' });
		return output.trim().split('\n');
	} catch (error) {
		if ((error as { status?: number }).status === 1) return []; // git's way to say that there is none
		throw error;
	}
}

function ownerOf({ author, repository }: Manifest): Owner {
	const [, name = ''] = /github\.com\/([^/]+\/[^/]+?)(\.git)?$/.exec(repository.url) ?? [];
	return { author: author.name, email: author.email, repository: name };
}

/** Placeholders that are left, one sentence each. */
export function placeholdersLeft(): string[] {
	const { author, email } = ownerOf(readManifest());
	const left = [
		...(author === placeholder.author ? [`The author in package.json is ${author}.`] : []),
		...(email === placeholder.email ? [`The author's email in package.json is ${email}.`] : []),
	];
	return [
		...left,
		...filesWith(placeholder.repository).map((file) => `${file} names ${placeholder.repository}.`),
	];
}

/** Writes the author and the repository wherever they are named. */
export function setOwner({ author, email, repository }: Owner): void {
	const { repository: before } = ownerOf(readManifest());
	for (const name of filesWith(before)) {
		const file = path.join(root, name);
		writeFileSync(file, readFileSync(file, 'utf8').replaceAll(before, repository));
	}
	const manifest = { ...readManifest(), author: { name: author, email } };
	writeFileSync(manifestFile, `${JSON.stringify(manifest, null, '\t')}\n`);
}
