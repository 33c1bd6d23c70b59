import { waitFor } from '../../tools/waitFor';
import { NewUser } from '../../test/e2e/support/newUser';
import { type Studio, boxOf, editorSize, take, untilCalm } from './studio';

const window = { width: 1400, height: 760 };

/** The panel of the trigger with the message that a customer has just written. */
export async function takeTrigger({ editor, sandbox: { state } }: Studio): Promise<void> {
	await editor.page.setViewportSize(window);
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
