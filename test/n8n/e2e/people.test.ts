/**
 * People in the editor: support, marketing (twice), analysis, AI, a shop and operations. Each reaches a goal with only the
 * instructions in the README, the examples and the editor. Prints how many clicks and minutes each person needs.
 */
import { map, uniq } from 'lodash';

import { type Editor, NewUser, withScreenshot } from '../../../harness/editor/editor';
import { startModel } from '../../../harness/editor/model';
import { useEditor } from '../../../harness/editor/useEditor';
import { Chat, fillPhone, untilPhoneIsQuiet, zara } from '../../../harness/editor/phone';
import { readSampleContacts } from '../../../harness/examples';
import { createTable, findTable, updateTable } from '../../../harness/n8n/dataTables';
import { useN8n } from '../../../harness/useN8n';
import { until } from '../../../harness/until';

const n8n = useN8n();
const effort: string[] = [];
let editor: Editor;

useEditor(n8n, (opened) => (editor = opened));
afterAll(() => void process.stdout.write(`${effort.join('\n')}\n`));

/** The steps of a person, whose clicks are counted. */
function person(name: string, run: (user: NewUser) => Promise<void>): void {
	test(name, async () => {
		const user = new NewUser(editor);
		const start = performance.now();
		await withScreenshot(editor, async () => await run(user));
		const minutes = (performance.now() - start) / 60_000;
		effort.push(`${name}: ${user.clicks} clicks, ${minutes.toFixed(1)} min`);
	});
}

/** Adds a step that sends the template *spring_sale* to people with a phone and a name. */
async function addSpringSale(user: NewUser): Promise<void> {
	await user.addNext('Business Messaging', 'Send template message');
	await user.drag('phone', user.input('to'));
	await user.pick('template', /^spring_sale/);
	await user.pick('language', /^English/);
	await editor.page.getByText(/^Body 1: /).waitFor();
	await user.drag('name', editor.part('mapping-fields-container').locator('input').first());
}

const ownPhone = '+447700900999';

/** Opens the chat of a customer on the phone. */
const openChat = async (phone: string) =>
	await Chat.open(await editor.openTab('about:blank'), n8n.sandbox, phone);

const output = (text: string | RegExp) => editor.part('output-panel').getByText(text).first();
const executeStep = async (user: NewUser) => await user.click(editor.part('node-execute-button'));
const closeNode = async (user: NewUser) => {
	await user.click(editor.part('ndv-close-button'));
	await editor.part('node-parameters').waitFor({ state: 'hidden' });
};

person(
	'a support lead answers who writes, then asks, reads what is missing, publishes the inbox, and gets an answer',
	async (user) => {
		const chat = await openChat(zara);
		await editor.goTo('/workflow/new');
		await user.addTrigger('On message received');
		await user.click(editor.part('trigger-execute-button'));
		await until('the trigger to register', () => n8n.sandbox.state.webhooks.all.length > 0);
		await chat.write('Are you open today?');
		await output('Are you open today?').waitFor();
		await closeNode(user);
		await user.addNext('Business Messaging', 'Send text message');
		await user.drag('from', user.input('to'));
		await user.type(user.input('text'), 'Thank you! We call you back.');
		await closeNode(user);
		await user.publish();
		const isRegistered = () =>
			n8n.sandbox.state.webhooks.all.some(({ url }) => !url.includes('-test'));
		await until('the trigger to register', isRegistered);
		await chat.write('And tomorrow?');
		await chat.shows('We call you back.');

		await editor.goTo('/workflow/new');
		await user.addAction('Send message and wait for response');
		await user.type(user.input('to'), zara);
		await user.type(user.input('message'), 'Does Tuesday suit you?');
		await user.choose('responseType', /^Approval/);
		await executeStep(user);
		await output('No published workflow keeps the replies').waitFor();
		await output(/import the example Inbox/).waitFor();
		const question = new URL(editor.page.url()).pathname; // of the open node
		await editor.importExample('inbox');
		await user.publish();
		const isInbox = () => n8n.sandbox.state.webhooks.all.some(({ url }) => url.includes('inbox='));
		await until('the inbox to register', isInbox);
		await editor.goTo(question);
		await executeStep(user);
		await chat.shows('Does Tuesday suit you?');
		await chat.write('yes please');
		await output('approved').waitFor();
		await output('yes please').waitFor();
	},
);

person('a marketer sends a first campaign: list, preview, test, send, results', async (user) => {
	const people = readSampleContacts().slice(0, 3);
	await createTable(
		n8n.client,
		'Spring list',
		people.map(({ name, phone }) => ({ name, phone })),
	);
	await editor.goTo('/workflow/new');
	await user.addFirst('Data table', 'Get row(s)');
	await user.pick('dataTableId', /^Spring list/);
	await executeStep(user);
	await output('3 items').waitFor();
	await closeNode(user);
	await addSpringSale(user);

	await user.choose('mode', /^Preview/);
	await executeStep(user);
	await output('Preview: nothing was sent. 3 would be sent.').waitFor();
	await output(`${people[1].name}, everything is 20 % off until Sunday.`).waitFor();
	expect(n8n.outbound).toEqual([]);

	await user.choose('mode', /^Send to Test/);
	await user.type(user.input('testNumber'), ownPhone);
	await executeStep(user);
	await (await openChat(ownPhone)).shows('everything is 20 % off');
	expect(uniq(map(n8n.outbound, 'phone'))).toEqual([ownPhone]);

	await user.click(editor.part('parameter-input-sendOnce').getByRole('switch').locator('..'));
	await user.type(user.input('campaign'), 'Spring');
	await user.choose('mode', /^Send(?! to)/);
	for (const [total, reason] of [
		['3 sent.', 'sent'],
		['0 sent, 3 already sent earlier.', 'alreadySent'],
	]) {
		await executeStep(user);
		await output(total).waitFor();
		await output(reason).waitFor();
	}
	const received = map(n8n.outbound, 'phone').filter((phone) => phone !== ownPhone);
	expect(received.sort()).toEqual(map(people, 'phone').sort());
});

person(
	'a marketer reminds everybody who has not read a campaign and has not replied, with three nodes in an empty workflow',
	async (user) => {
		const people = readSampleContacts().slice(3, 8);
		const campaign = 'December sale';
		const sale = { resource: 'message', operation: 'sendText', text: 'Our sale starts' };
		const log = { sendOnce: true, campaign, options: { personName: '={{ $json.name }}' } };
		await n8n.run({ items: people, parameters: { ...sale, ...log, to: '={{ $json.phone }}' } });
		const table = 'Business Messaging Campaigns';
		for (const [index, column] of ['readAt', 'repliedAt'].entries())
			await updateTable(n8n.client, table, ['phone', people[index].phone], {
				[column]: new Date().toISOString(),
			});
		const before = n8n.outbound.length;

		await editor.goTo('/workflow/new');
		await user.addAction('Get recipients of a campaign');
		await user.type(user.input('campaign'), 'December sail');
		await user.choose('people', /^Not Read/);
		await executeStep(user);
		await output('There are no messages of the campaign "December sail"').waitFor();
		await user.type(user.input('campaign'), campaign);
		await executeStep(user);
		await output('3 items').waitFor();
		await closeNode(user);
		await addSpringSale(user);
		await user.click(editor.part('parameter-input-sendOnce').getByRole('switch').locator('..'));
		await user.type(user.input('campaign'), 'December reminder');
		await executeStep(user);
		await output('3 sent.').waitFor();
		const sent = n8n.outbound.slice(before);
		expect(map(sent, 'phone').sort()).toEqual(map(people.slice(2), 'phone').sort());
		expect(sent[0].text).toContain(people.find(({ phone }) => phone === sent[0].phone)!.name);
	},
);

person('an analyst gets the weekly report, and the figures of a campaign', async (user) => {
	await fillPhone(n8n.sandbox);
	await untilPhoneIsQuiet(n8n.sandbox);
	await editor.importExample('weekly-report');
	await user.executeAt('When clicking ‘Execute workflow’');
	await editor.waitForSuccess('Write the email');
	await user.open('Write the email');
	const chart = editor.page.frameLocator('.__html-display');
	await chart
		.getByRole('row', { name: `Sent ${n8n.outbound.length}` })
		.first()
		.waitFor();
	await closeNode(user);

	await editor.goTo('/workflow/new');
	await user.addAction('Get campaign statistics of the service');
	await executeStep(user);
	await output(/^spring_sale/).waitFor();
});

person(
	'an AI builder gives an agent our node as a tool, with the settings of n8n',
	async (user) => {
		const model = await startModel({ Recipient_Phone_Number: zara, Text: 'We are open' });
		try {
			await model.credentialFor(n8n.client);
			await editor.goTo('/workflow/new');
			await user.addFirst('AI Agent');
			await closeNode(user);
			await user.addPart('ai_languageModel', 'OpenAI Chat Model');
			await closeNode(user);
			await user.addPart('ai_tool', 'Business Messaging Tool');
			for (const field of ['to', 'text']) await user.letModelFill(field);
			await closeNode(user);
			await user.click(editor.part('workflow-chat-button'));
			await user.type(editor.part('chat-input'), 'Tell Zara that we are open');
			await editor.page.keyboard.press('Enter');
			await (await openChat(zara)).shows('We are open');
			await editor
				.part('canvas-chat')
				.getByText(/^Told: .*"sendStatus":"sent"/)
				.waitFor();
		} finally {
			await model.close();
		}
	},
);

person(
	'a shop owner imports examples and changes no node: a greeting, the 24-hour window, a monthly campaign, and a bot that steps aside',
	async (user) => {
		const model = await startModel({ Summary: 'Zara wants a person.' }, (messages) =>
			JSON.stringify(messages.at(-1)?.content).includes('a person'),
		);
		const manual = 'When clicking ‘Execute workflow’';
		/** Imports an example that starts with messages, and publishes it. */
		const publish = async (name: string) => {
			const { webhooks } = n8n.sandbox.state;
			const before = webhooks.all.length;
			await editor.importExample(name);
			await user.publish();
			await until('the trigger to register', () => webhooks.all.length > before);
			await user.click(editor.page.getByRole('button', { name: 'Got it' }));
		};
		try {
			await model.credentialFor(n8n.client);
			const chat = await openChat(zara);
			await publish('welcome');
			await chat.write('Do you sell shoes?');
			await chat.shows('Welcome to Example Shop!');

			await publish('reply-window');
			await chat.write('In size 40?');
			const times = async () => await findTable(n8n.client, 'Last messages');
			await until('the time of the message', times);
			await user.executeAt(manual);
			await editor.waitForSuccess('Send the text', 'Send the template');
			await user.open('Send the text');
			await output('Preview: nothing was sent. 1 would be sent.').waitFor();
			await closeNode(user);

			await editor.importExample('monthly-campaign');
			await user.executeAt(manual);
			await editor.waitForSuccess('Send offer', 'CSV file');
			await user.open('Send offer');
			await output(/^Preview: nothing was sent. \d+ would be sent/).waitFor();
			expect(n8n.outbound).toHaveLength(1);

			await publish('ai-agent');
			await chat.write('Do you ship to France?');
			await chat.shows('Told: ');
			await chat.write('I want to talk to a person');
			await (await openChat('+447700900001')).shows('Please take over the chat');
		} finally {
			await model.close();
		}
	},
);

person('an operator connects the service and cures what goes wrong', async (user) => {
	for (const { id } of await n8n.client.call<Array<{ id: string }>>('GET', '/rest/credentials'))
		await n8n.client.call('DELETE', `/rest/credentials/${id}`);
	const { url, key } = n8n.sandbox;
	await editor.goTo('/workflow/new');
	await user.addAction('Send text message');
	await user.click(editor.part('node-credentials-empty-state').getByRole('button').first());
	const dialog = editor.part('editCredential-modal');
	const wrong = [
		[
			{ url: `${n8n.playground.n8n.url}/wrong`, key },
			'There is no messaging service at this address',
		],
		[{ url, key: 'wrong' }, 'The service does not accept the API key'],
	] as const;
	for (const [values, problem] of wrong) {
		await user.fillCredential(values);
		// It stays open after the click.
		if (problem === wrong[0][1]) await user.click(dialog.getByText('More details'));
		await dialog.getByText(problem).waitFor();
	}
	await user.fillCredential(n8n.sandbox);
	await dialog.waitFor({ state: 'hidden' });

	await user.type(user.input('to'), '07700 900408');
	await user.type(user.input('text'), 'Hello');
	await executeStep(user);
	await output(/has no country code/).waitFor();
	await user.click(editor.part('credential-edit-button'));
	await user.choose('defaultCountry', /^United Kingdom/, 'United K');
	await user.click(editor.part('credential-save-button'));
	await dialog.getByText('Connection tested successfully').waitFor();
	await user.click(dialog.getByRole('button', { name: /close/i }).first());
	await executeStep(user);
	await (await openChat(zara)).shows('Hello');
});
