/** The lists of contacts, segments and webhooks, as the editor calls them. */
import { useService } from '../support/service';

const service = useService({ sampleContacts: 1_200 });
const open = () => service.engine.editor({ credentials: service.credentials() });
const contact = (index: number) => service.sandbox.state.contacts.all[index];

test('all contacts are reached by scrolling, each once', async () => {
	const values: unknown[] = [];
	let token: string | undefined;
	do {
		const page = await open().listSearch('searchContacts', undefined, token);
		values.push(...page.results.map(({ value }) => value));
		token = page.paginationToken;
	} while (token);
	expect(values).toEqual(service.sandbox.state.contacts.all.map(({ id }) => id));
});

test.each([
	['a name', 'Katherine Johnson 240', 1_198],
	['a phone number', '+15551001199', 1_199],
	['a phone number with spaces', '1 555 100 1199', 1_199],
	['a phone number as it is dialled', '(0) 1001-199', 1_199],
])('a contact far down is found by %s', async (_, filter, index) => {
	const { results } = await open().listSearch('searchContacts', filter);
	expect(results).toEqual([{ name: `${contact(index).name} · ${contact(index).phone}`, value: contact(index).id }]);
});

test('segments are those of the contacts', async () => {
	expect((await open().listSearch('searchSegments')).results.map(({ value }) => value)).toEqual(['customers', 'newsletter', 'vip']);
	expect((await open().listSearch('searchSegments', 'VI')).results.map(({ value }) => value)).toEqual(['vip']);
});

test('webhooks show their address and events', async () => {
	const { id } = service.sandbox.state.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
	expect((await open().listSearch('searchWebhooks')).results).toEqual([{ name: 'https://example.com/hook · message.received', value: id }]);
});

test('a list that cannot be loaded says what to do', async () => {
	const editor = service.engine.editor({ credentials: service.credentials({ apiKey: 'wrong' }) });
	await expect(editor.listSearch('searchContacts')).rejects.toMatchObject({ message: expect.stringContaining('does not accept the API key') });
});
