/** `npm run docs -- pictures [NAME…]`: takes the pictures of docs/pictures in the editor of a real n8n and on the sandbox's phone. */
import { withScreenshot } from '../test/e2e/support/editor';
import { NewUser } from '../test/e2e/support/newUser';
import { runMain, UserError } from '../tools/cli';
import { exampleNames, readExample } from '../tools/examples';
import { waitFor } from '../tools/waitFor';
import { takeConversation } from './pictures/conversation';
import { takePhone } from './pictures/phone';
import {
	around,
	boxOf,
	editorSize,
	openStudio,
	type Studio,
	take,
	takeCanvas,
	untilCalm,
} from './pictures/studio';
import { takeTemplate } from './pictures/template';

const subjects: Record<string, (studio: Studio) => Promise<void>> = {
	'node-panel': takeNodePanel,
	credential: takeCredential,
	trigger: takeTrigger,
	// After the trigger: it widens the panel, and the editor remembers that.
	'send-template': takeTemplate,
	examples: takeExamples,
	phone: takePhone,
	conversation: takeConversation,
};

runMain(async () => {
	const wanted = process.argv.slice(2);
	const unknown = wanted.filter((name) => !(name in subjects));
	if (unknown.length > 0)
		throw new Error(`There is no ${unknown.join(', ')}, only ${Object.keys(subjects).join(', ')}.`);
	const studio = await openStudio();
	const problems: string[] = [];
	for (const [name, takeIt] of Object.entries(subjects)) {
		if (wanted.length > 0 && !wanted.includes(name)) continue;
		await withScreenshot(studio.editor, async () => await takeIt(studio)).catch((error: Error) =>
			problems.push(`${name}: ${error.message}`),
		);
		problems.push(
			...studio.editor.problems
				.splice(0)
				.map((problem) => `${name}: the editor reports ${problem}`),
		);
	}
	if (problems.length > 0) throw new UserError(problems.join('\n'));
});

/** Our nodes in the panel of nodes: what can start a workflow, and how many actions there are. */
async function takeNodePanel({ editor }: Studio): Promise<void> {
	await editor.goTo('/workflow/new');
	await new NewUser(editor).openNodePanel();
	const panel = editor.part('node-creator');
	await panel.getByText('On message received').waitFor();
	await untilCalm(editor);
	const { x, y, width } = await boxOf(panel);
	const actions = await boxOf(panel.locator('[data-test-id="node-creator-category-item"]').last());
	await take(editor.page, 'node-panel', around([{ x, y, width, height: 0 }, actions]));
}

/** The credential, accepted by the service. */
async function takeCredential({ editor, sandbox }: Studio): Promise<void> {
	const user = new NewUser(editor);
	await user.startCredential();
	await user.fillCredential(sandbox);
	await editor.part('editCredential-modal').getByText('Connection tested successfully').waitFor();
	await untilCalm(editor);
	const { x, y, width } = await boxOf(editor.part('editCredential-modal'));
	const lastField = await boxOf(editor.part('parameter-input-webhookSecret'));
	// n8n's own settings below are left out.
	await take(editor.page, 'credential', {
		x,
		y,
		width,
		height: lastField.y + lastField.height + 20 - y,
	});
}

/** The panel of the trigger with the message that a customer has just written. */
async function takeTrigger({ editor, sandbox: { state } }: Studio): Promise<void> {
	await editor.page.setViewportSize({ width: 1400, height: 760 });
	await editor.goTo('/workflow/new');
	await new NewUser(editor).addTrigger('On message received');
	await editor.part('trigger-execute-button').click();
	await waitFor(async () => state.webhooks.all.length > 0, {
		what: 'the trigger to register',
		limit: 60_000,
	});
	state.traffic.receive({ from: state.contacts.all[0].phone, text: 'Do you ship to France?' });
	const panel = editor.part('ndv');
	await panel.getByText('Do you ship to France?').waitFor();
	await panel.getByText('Schema', { exact: true }).click();
	await untilCalm(editor);
	await take(editor.page, 'trigger', await boxOf(panel));
	await editor.page.setViewportSize(editorSize);
}

/** The canvas of every example, named like its file; those that run by themselves have run. */
async function takeExamples(studio: Studio): Promise<void> {
	const { editor, n8n, credential } = studio;
	const account = {
		name: 'OpenAI account',
		id: await n8n.client.createCredential('OpenAI account', 'openAiApi', { apiKey: 'none' }),
	};
	for (const name of exampleNames()) {
		const file = readExample(name, credential);
		// The user has chosen an account there; without one, n8n shows a warning.
		for (const node of file.nodes)
			if (node.type.endsWith('.lmChatOpenAi')) node.credentials = { openAiApi: account };
		const { id, nodes } = await n8n.client.createWorkflow(file);
		await editor.openWorkflow(id);
		await runs[name]?.(studio);
		await takeCanvas(editor, name, nodes.length);
	}
}

const runs: Partial<Record<string, (studio: Studio) => Promise<void>>> = {
	'welcome-campaign': async ({ editor }) => {
		await editor.execute();
		await editor.page.getByText('Workflow executed successfully').waitFor();
	},
	'auto-reply': async ({ editor, sandbox: { state } }) => {
		await editor.execute();
		await waitFor(async () => state.webhooks.all.length > 0, {
			what: 'the trigger to register',
			limit: 60_000,
		});
		state.traffic.receive({ from: state.contacts.all[0].phone, text: 'Tell me more' });
		await editor.page.getByText('Workflow executed successfully').waitFor();
	},
};
