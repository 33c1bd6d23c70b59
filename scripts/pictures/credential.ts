import { NewUser } from '../../test/e2e/support/newUser';
import { type Studio, boxOf, take, untilCalm } from './studio';

/** CSS pixels below the last field. */
const margin = 20;

/** The credential, accepted by the service. */
export async function takeCredential({ editor, sandbox }: Studio): Promise<void> {
	await editor.goTo('/home/credentials');
	await editor.page.getByRole('button', { name: 'Create credential' }).click();
	await editor.part('new-credential-type-select').locator('input').fill('business mess');
	await editor
		.part('new-credential-type-select-option')
		.getByText('Business Messaging API')
		.click();
	await editor.part('new-credential-type-button').click();
	await new NewUser(editor).fillCredential(sandbox);
	await editor.part('editCredential-modal').getByText('Connection tested successfully').waitFor();
	await untilCalm(editor);
	const { x, y, width } = await boxOf(editor.part('editCredential-modal'));
	const lastField = await boxOf(editor.part('parameter-input-webhookSecret'));
	// n8n's own settings below are left out.
	await take(editor.page, 'credential', {
		x,
		y,
		width,
		height: lastField.y + lastField.height + margin - y,
	});
}
