/** Clients that generators make of the document: are they of correct types, and do they work? */
import path from 'node:path';

import { CommandError, runCommand } from '../playground/runCommand';
import { startSandbox } from '../sandbox';
import type { Verdict } from './verdict';

const folder = import.meta.dirname;
const limit = 120_000;

interface Generator {
	judge: string;
	/** Name in node_modules/.bin. */
	command: string;
	options: (document: string) => string[];
	/** What uses the client, in clients/. */
	script: string;
}

const generators: Generator[] = [
	{
		judge: 'Client of openapi-typescript and openapi-fetch',
		command: 'openapi-typescript',
		options: (document) => [document, '--output', 'clients/generated/openapi-typescript.d.ts'],
		script: 'clients/openapiFetch.ts',
	},
	{
		judge: 'Client of @hey-api/openapi-ts with axios',
		command: 'openapi-ts',
		options: (document) => [
			'--input',
			document,
			'--output',
			'clients/generated/hey-api',
			'--client',
			'@hey-api/client-axios',
			'--no-log-file',
		],
		script: 'clients/heyApi.ts',
	},
];

/** Runs a tool of this folder; what it prints when it fails becomes complaints. */
async function run(command: string, options: string[]): Promise<string[]> {
	try {
		await runCommand(command, options, { cwd: folder, limit });
		return [];
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		return [error.message, ...error.output.trim().split('\n')];
	}
}

/** @param document path of the OpenAPI document */
export async function askClients(document: string): Promise<Verdict[]> {
	const tool = (name: string) => path.join(folder, 'node_modules', '.bin', name);
	const generated = await Promise.all(
		generators.map(async ({ command, options }) => await run(tool(command), options(document))),
	);
	const typeErrors = await run(tool('tsc'), ['--project', 'clients']);
	const sandbox = await startSandbox({ port: 0 });
	try {
		const verdicts = generators.map(async ({ judge, script }, index): Promise<Verdict> => {
			const errands = await run(process.execPath, [
				'--import',
				'tsx',
				script,
				sandbox.url,
				sandbox.key,
			]);
			const complaints = [...generated[index], ...errands];
			return {
				judge,
				words: 'sends, reads a refusal, lists, registers a webhook and gets its event',
				complaints,
			};
		});
		return [
			{
				judge: 'TypeScript, strict',
				words: `${typeErrors.length} errors in the use of both clients`,
				complaints: typeErrors,
			},
			...(await Promise.all(verdicts)),
		];
	} finally {
		await sandbox.close();
	}
}
