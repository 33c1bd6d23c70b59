/** Phone numbers in the fields of the node: what is sent, and what the user is told. How they are read: test/phone. */
import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../support/service';

const service = useService({ sampleContacts: 0 });
const send = { resource: 'message', operation: 'sendText', text: 'Hi' };
const upsert = { resource: 'contact', operation: 'upsert' };
const recipients = () => service.sent().map(({ phone }) => phone);
const contacts = () =>
	service.sandbox.state.contacts.all.map(({ phone, name }) => ({ phone, name }));

/** Runs with the Default Country of the credential. */
const runIn = async (defaultCountry: string, parameters: INodeParameters) =>
	await service.run({ parameters, credentials: service.credentials({ defaultCountry }) });

test.each<[operation: string, parameters: INodeParameters]>([
	['Send Text', { ...send, to: '07700 900123' }],
	['Send Template', { ...send, operation: 'sendTemplate', template: 'hi', language: 'en_US' }],
	['Create', { resource: 'contact', operation: 'create', phone: '07700 900123' }],
	['Create or Update', { ...upsert, phone: '07700 900123' }],
])('%s reads local numbers of the Default Country', async (_, parameters) => {
	const components = [{ type: 'BODY', text: 'Hi' }];
	const template = { name: 'hi', language: 'en_US', components };
	service.sandbox.state.templates.create(template, 'APPROVED');
	const options = { defaultCountry: 'GB' };
	const { error } = await runIn('none', { to: '07700 900123', ...parameters, options });
	expect(error).toBeUndefined();
	expect([...recipients(), ...contacts().map(({ phone }) => phone)]).toEqual(['+447700900123']);
});

test('the Default Country of the credential counts where the node has none', async () => {
	expect((await runIn('GB', { ...send, to: '07700 900123' })).error).toBeUndefined();
	expect((await runIn('plusMissing', { ...send, to: '447700900124' })).error).toBeUndefined();
	const options = { defaultCountry: 'none' };
	const { error } = await runIn('GB', { ...send, to: '07700 900125', options });
	const field = "'Recipient Phone Number'";
	expect(error?.message).toBe(`"07700 900125" in ${field} has no country code [item 0]`);
	expect(recipients()).toEqual(['+447700900123', '+447700900124']);
});

test.each<[number | string, string, string]>([
	[447700900124, 'has no country code', 'Did you mean +447700900124?'],
	['+49 CALL ME', 'is not a phone number', 'Write it with + and the country code'],
	['+49170', 'is no number of +49', 'After +49 come 5, 6, 7, 8, 9, 10, 11, 12, 13 digits.'],
])('%j is refused before anything is sent, with advice', async (to, problem, advice) => {
	const { error } = await service.run({
		parameters: { ...send, to: '={{ $json.to }}' },
		items: [{ to: '+447700900123' }, { to }],
	});
	expect(error).toMatchObject({
		message: `"${to}" in 'Recipient Phone Number' ${problem} [item 1]`,
		description: expect.stringContaining(advice),
		context: { itemIndex: 1, sendStatus: 'notSent' },
	});
	expect(service.calls('sendText')).toBe(0);
});

test('leaves an extension out, and says so beside the output', async () => {
	const { error, hints } = await service.run({ parameters: { ...send, to: '+447700900123 x12' } });
	expect([error, recipients()]).toEqual([undefined, ['+447700900123']]);
	const message = 'The extension 12 of +447700900123 was left out.';
	expect(hints).toMatchObject([{ message, location: 'outputPane' }]);
});

test('Create or Update finds a contact under another number of the same phone', async () => {
	service.sandbox.state.contacts.create({ phone: '+551187654321', name: 'Old' });
	const phone = '+5511987654321';
	await service.run({ parameters: { ...upsert, phone, name: 'New' } });
	expect(contacts()).toEqual([{ phone, name: 'New' }]);
});
