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
	expect((await runIn('GB', { ...send, to: '07700 900125', options })).error?.message).toBe(
		'"07700 900125" in \'Recipient Phone Number\' has no country code [item 0]',
	);
	expect(recipients()).toEqual(['+447700900123', '+447700900124']);
});

test('offers the number that may be meant, and sends nothing', async () => {
	const { error } = await service.run({
		parameters: { ...send, to: '={{ $json.to }}' },
		items: [{ to: '+447700900123' }, { to: 447700900124 }],
	});
	expect(error).toMatchObject({
		message: '"447700900124" in \'Recipient Phone Number\' has no country code [item 1]',
		description: expect.stringContaining('Did you mean +447700900124?'),
	});
	expect(service.calls('sendText')).toBe(0);
});

test('leaves an extension out, and says so beside the output', async () => {
	const { error, hints } = await service.run({ parameters: { ...send, to: '+447700900123 x12' } });
	expect(error).toBeUndefined();
	expect(recipients()).toEqual(['+447700900123']);
	expect(hints).toMatchObject([
		{ message: 'The extension 12 of +447700900123 was left out.', location: 'outputPane' },
	]);
});

test.each([
	['Brazil, without the ninth digit', '+551187654321', '+5511987654321'],
	['Mexico, with the former 1', '+5215512345678', '+525512345678'],
	['Argentina, without 9', '+541123456789', '+5491123456789'],
])('Create or Update finds a contact under its other number: %s', async (_, known, given) => {
	service.sandbox.state.contacts.create({ phone: known, name: 'Old' });
	const { error } = await service.run({ parameters: { ...upsert, phone: given, name: 'New' } });
	expect(error).toBeUndefined();
	expect(contacts()).toEqual([{ phone: given, name: 'New' }]);
});
