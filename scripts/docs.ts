/** `npm run docs`: writes everything that is generated; what has not changed stays as it is. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { buildOpenApiDocument } from '../sandbox/openapi';
import { readReleases } from './changelog';
import { phoneTable, phoneTableFile } from './phoneTable';
import { readChangelog, readVersion } from './repository';

const root = path.join(__dirname, '..');
const run = (script: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
	execFileSync(process.execPath, [script, ...args], {
		cwd: root,
		stdio: 'inherit',
		env: { ...process.env, ...env },
	});

const writers: Record<string, (args: string[]) => void> = {
	/** docs/openapi.json, from the endpoint table. */
	openapi: () =>
		writeFileSync(
			path.join(root, 'docs', 'openapi.json'),
			`${JSON.stringify(buildOpenApiDocument(), null, 2)}\n`,
		),
	/** The table of numbering plans, from libphonenumber-js. */
	phones: () => writeFileSync(phoneTableFile, phoneTable()),
	/** test/compat/saved: what the present nodes leave in workflows. */
	saved: () => run(require.resolve('tsx/cli'), ['scripts/saved.ts']),
	/** The previews of outputs (__schema__), from runs of the built nodes against the sandbox. */
	schemas: () =>
		run('node_modules/jest/bin/jest.js', ['test/operations/previews.test.ts'], {
			WRITE_PREVIEWS: '1',
		}),
	/** docs/pictures, in the editor of a real n8n; only if named, as that takes minutes. */
	pictures: (names) => run(require.resolve('tsx/cli'), ['scripts/pictures.ts', ...names]),
};

const [name, ...args] = process.argv.slice(2);
if (name !== undefined && !(name in writers))
	throw new Error(`There is no ${name}, only ${Object.keys(writers).join(', ')}.`);
/** What a released version saves never changes. */
const isReleased = readReleases(readChangelog()).some(({ version }) => version === readVersion());
const unasked = ['pictures', ...(isReleased ? ['saved'] : [])];
const chosen =
	name === undefined ? Object.keys(writers).filter((one) => !unasked.includes(one)) : [name];
for (const one of chosen) writers[one](args);
