/** What the editor does: the credential's test, searchable lists, the form for a template's variables. */
import assert from 'node:assert/strict';

import type { INodeParameters } from 'n8n-workflow';

import type { Check, Environment } from './environment';

const fromList = (value: string) => ({ __rl: true, mode: 'list', value });

const open = (environment: Environment, parameters: INodeParameters = {}) =>
	environment.engine.editor({
		parameters: { resource: 'message', operation: 'sendTemplate', ...parameters },
		credentials: environment.credentials(),
	});

/** Checks by name. */
export const editorChecks: Record<string, Check> = {
	'Credential: test': async (environment) => {
		const good = await environment.engine.testCredential(environment.credentials());
		assert.equal(good.status, 'OK', good.message);
		const bad = await environment.engine.testCredential(
			environment.credentials({ apiKey: 'wrong' }),
		);
		assert.equal(bad.status, 'Error');
		assert.match(bad.message, /^The service does not accept the API key/);
	},

	'Lists to choose from': async (environment) => {
		const { results } = await open(environment).listSearch('searchTemplateNames', 'welcome');
		assert.deepEqual(
			results.map(({ value }) => value),
			['welcome'],
		);
		const contacts = await open(environment).listSearch('searchContacts');
		assert.ok(
			contacts.results.length > 0 && contacts.paginationToken !== undefined,
			'the first page of contacts, and a next one',
		);
	},

	'Form for variables': async (environment) => {
		const form = await open(environment, {
			template: fromList('welcome'),
			language: fromList('en_US'),
		}).resourceMapping('getTemplateVariables');
		assert.deepEqual(
			form.fields.map(({ id }) => id),
			['headerPdfUrl', 'body_1', 'body_2'],
		);
	},
};
