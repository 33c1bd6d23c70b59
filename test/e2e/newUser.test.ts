/** From an empty workflow to a message on the phone, and from an answer there to a trigger that fires, as somebody does it for the first time. */
import type { Page } from 'playwright-core';
import { until } from '../../tools/until';
import { Editor, withScreenshot, NewUser } from './support/editor';
import { useN8n } from './support/n8n';

const n8n = useN8n();
const customer = '+44 7700 900408';
/** From an empty workflow to the message on the phone. */
const mostClicks = 18;

let editor: Editor;
let phone: Page;

beforeAll(async () => {
	// The playground's own credential is not there for somebody who begins.
	await n8n.client.call('DELETE', `/rest/credentials/${n8n.playground.credential.id}`);
	editor = await Editor.open(n8n.playground.n8n);
	await editor.login();
	phone = await editor.openTab(n8n.sandbox.url);
}, 180_000);
afterAll(async () => await editor?.close());

test('a new user sends a template, reads it on the phone, answers there, and sees the trigger fire', async () =>
	await withScreenshot(editor, journey));

async function journey(): Promise<void> {
	const user = new NewUser(editor);
	const chat = phone.getByRole('log').getByRole('listitem');
	const start = performance.now();
	const soFar = () =>
		`${user.clicks.length} clicks, ${((performance.now() - start) / 1000).toFixed(1)} s`;

	await editor.goTo('/workflow/new');
	await user.addAction('Send template message');
	await user.createCredential(n8n.sandbox);
	expect(n8n.sandbox.state.requests.last()).toMatchObject([
		{ method: 'GET', url: '/v1/auth/me', status: 200 },
		{ method: 'GET', url: '/v1/contacts?limit=1', status: 200 },
	]);
	await user.type('Recipient Phone Number', user.input('to'), customer);
	await user.pick('template', /^appointment_reminder/);
	await user.pick('language', /^English/);
	await user.fillForm(['Zara', 'Tuesday', '10:00']);
	await user.click('Execute step', editor.part('node-execute-button'));
	await user.click('chat', phone.getByRole('link', { name: /Zara|7700/ }).first());
	await chat
		.getByText('Zara, this is a reminder of your appointment on Tuesday at 10:00.')
		.waitFor();
	const untilMessage = soFar();
	expect(user.clicks.length).toBeLessThanOrEqual(mostClicks);

	await editor.goTo('/workflow/new');
	await user.addTrigger('On message received');
	await user.click('Execute step', editor.part('trigger-execute-button'));
	await until('the trigger to register', () => n8n.sandbox.state.webhooks.all.length > 0);
	await user.click('Confirm', chat.getByRole('button', { name: 'Confirm' }));
	await editor.part('ndv').getByText('Confirm', { exact: true }).waitFor();
	process.stdout.write(
		`Message on the phone after ${untilMessage} (at most ${mostClicks} clicks); answered, and the trigger has fired after ${soFar()}.\n`,
	);
	expect(editor.problems).toEqual([]);
}
