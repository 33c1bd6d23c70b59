import { exampleNames, readExample } from '../../tools/examples';
import { waitFor } from '../../tools/waitFor';
import { takeCanvas } from './canvas';
import type { Studio } from './studio';

/** The canvas of every example, named like its file; those that run by themselves have run. */
export async function takeExamples(studio: Studio): Promise<void> {
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
