/** A person who sees the editor for the first time: what they do with mouse and keyboard, counted. */
import type { Locator } from 'playwright-core';

import type { Sandbox } from '../../../sandbox';
import type { Editor } from './editor';

/** Steps of a new user. Every click and every key that chooses something goes through {@link NewUser.click} or `type`. */
export class NewUser {
	/** What was clicked, in its order; a field is clicked before somebody types into it. */
	readonly clicks: string[] = [];

	constructor(private readonly editor: Editor) {}

	/** One click. @param what its target in words */
	async click(what: string, target: Locator): Promise<void> {
		await target.click();
		this.clicks.push(what);
	}

	/** A click into a field, and typing. */
	async type(what: string, field: Locator, text: string): Promise<void> {
		await this.click(what, field);
		await field.fill(text);
	}

	/** Opens the panel of nodes of an empty workflow, and our nodes in it. */
	async openNodePanel(): Promise<void> {
		await this.click('Add first step', this.editor.part('canvas-plus-button'));
		// The search has the focus already.
		await this.editor.part('node-creator-search-bar').fill('business messaging');
		const panel = this.editor.part('node-creator');
		const ours = panel.getByText('Business Messaging', { exact: true });
		await this.click('Business Messaging', ours);
	}

	/** Adds the action node to an empty workflow; n8n puts a manual trigger before it. @param action as the panel calls it */
	async addAction(action: string): Promise<void> {
		await this.openNodePanel();
		const panel = this.editor.part('node-creator');
		await this.click('Actions', panel.getByText(/^Actions \(/));
		await this.click(action, panel.getByText(action, { exact: true }));
		await this.editor.part('node-parameters').waitFor();
	}

	/** Adds the trigger to an empty workflow. @param event as the panel calls it */
	async addTrigger(event: string): Promise<void> {
		await this.openNodePanel();
		await this.click(event, this.editor.part('node-creator').getByText(event, { exact: true }));
		await this.editor.part('node-parameters').waitFor();
	}

	/** Creates the credential from the open node. n8n tests it, and goes back to the node once the service has accepted it. */
	async createCredential(sandbox: Sandbox): Promise<void> {
		const button = this.editor.part('node-credentials-empty-state').getByRole('button').first();
		await this.click('Set up credential', button);
		await this.fillCredential(sandbox);
		await this.editor.part('editCredential-modal').waitFor({ state: 'hidden' });
	}

	/** Opens a new credential of ours from the list of credentials. */
	async startCredential(): Promise<void> {
		const { editor } = this;
		await editor.goTo('/home/credentials');
		const create = editor.page.getByRole('button', { name: 'Create credential' });
		await this.click('Create credential', create);
		await editor.part('new-credential-type-select').locator('input').fill('business mess');
		const option = editor.part('new-credential-type-select-option');
		await this.click('type', option.getByText('Business Messaging API'));
		await this.click('Continue', editor.part('new-credential-type-button'));
	}

	/** Fills in the open credential and saves it, which tests it. */
	async fillCredential({ url, key }: Pick<Sandbox, 'url' | 'key'>): Promise<void> {
		await this.type('API Key', this.input('apiKey'), key);
		await this.type('Base URL', this.input('baseUrl'), url);
		await this.click('Save', this.editor.part('credential-save-button'));
	}

	/** Chooses from a searchable list. @param entry the beginning of its text @param typed into the search */
	async pick(list: string, entry: RegExp, typed = ''): Promise<void> {
		const field = this.editor.part(`resource-locator-${list}`);
		await this.click(`list ${list}`, field.locator('[data-test-id="rlc-input"]'));
		if (typed) await this.editor.part('rlc-search').filter({ visible: true }).fill(typed);
		const item = this.editor.part('rlc-item').filter({ visible: true }).getByText(entry);
		await this.click(`entry of ${list}`, item);
	}

	/** Fills in the form of a template, one field after the other. */
	async fillForm(values: string[]): Promise<void> {
		const fields = this.editor.part('mapping-fields-container').locator('input');
		for (const [index, value] of values.entries())
			await this.type(`variable ${index + 1}`, fields.nth(index), value);
	}

	/** The input of a field of the open node or credential. */
	input(name: string): Locator {
		return this.editor.part(`parameter-input-${name}`).locator('input, textarea').first();
	}
}
