/** Redirects: a request that only reads follows one on the same host; for any other redirect, an error names the new address. */
import { endpoints } from '../../../nodes/BusinessMessaging/api/endpoints';
import { sendText, useOtherHost, useService } from '../../../harness/engine/service';
import { clientOf } from '../../../harness/engine/functionService';

const service = useService();
const other = useOtherHost((_, response) => void response.writeHead(200).end('{}'));
const contacts = { resource: 'contact', operation: 'getAll', returnAll: true };
const redirects = 'The service redirects to another address';

test.each([301, 302, 303, 307, 308])(
	'a request that reads follows a redirect with %i on the same host, query included',
	async (status) => {
		const headers = { location: '/v1/contacts?limit=2&page=2' };
		service.fault({ endpoint: 'listContacts', status, headers });
		const parameters = { ...contacts, returnAll: false, limit: 2 };
		const { outputs, error } = await service.run({ parameters });
		expect(error).toBeUndefined();
		const second = service.sandbox.state.contacts.all.slice(2, 4);
		expect(outputs[0].map(({ json }) => json.id)).toEqual(second.map(({ id }) => id));
	},
);

test('a redirect to a slash at the end is followed on every page, with the query of the request', async () => {
	const { client, asked, routes } = clientOf(({ page = 1 }, times) => {
		const isFirst = times % 2 === 1;
		if (isFirst) return { status: 308, headers: { location: '/v1/contacts/' }, body: '' };
		return { body: { data: Number(page) < 3 ? [{ id: page }] : [] } };
	});
	for (const page of [1, 2, 3]) await client.fetch(endpoints.listContacts, { query: { page } });
	expect(routes.slice(0, 2)).toEqual(['GET /v1/contacts', 'GET /v1/contacts/']);
	expect(asked.map(({ page }) => page)).toEqual([1, 1, 2, 2, 3, 3]);
});

test('a second redirect is not followed', async () => {
	const location = '/v1/contacts';
	const { client, asked } = clientOf(() => ({ status: 302, headers: { location }, body: '' }));
	await expect(client.fetch(endpoints.listContacts)).rejects.toThrow(redirects);
	expect(asked).toHaveLength(2);
});

test.each<[string, string, string]>([
	['https://new.example.com/v1/messages/send', '', 'https://new.example.com.'],
	['https://new.example.com/api/v1/messages/send?t=s', '', 'https://new.example.com/api.'],
	['/v1/messages/send/', '', 'once and on the same host'],
	['/v1/messages/send', '', 'once and on the same host'],
	['/login?next=%2Fv1', '', "Check 'Base URL'"],
	[`https://example.com/${'a'.repeat(300)}`, 'https://example.com', "Check 'Base URL'"],
	['https://example.com/%E0%A4%A', '', "Check 'Base URL'"],
])('a message that is redirected to %s is not sent there', async (location, shown, advice) => {
	service.fault({ endpoint: 'sendText', status: 307, headers: { location }, body: '' });
	const error = await service.errorOf(sendText);
	const [address] = new URL(location, service.url).href.split('?');
	expect(error?.message).toContain(`${redirects}, ${shown || address} (HTTP 307)`);
	expect(error?.description).toContain(advice);
	expect(service.calls('sendText')).toBe(1);
});

test.each([
	[301, 'notSent'],
	[302, 'notSent'],
	[303, 'mayHaveBeenSent'],
	[307, 'notSent'],
	[308, 'notSent'],
])('after %i, a message counts as %s and is not repeated', async (status, sendStatus) => {
	const headers = { location: '/v1/messages/m_1' };
	service.fault({ endpoint: 'sendText', status, headers, body: '', count: 9 });
	const error = await service.errorOf(sendText);
	expect(error?.message).toContain(`${redirects}, ${service.url}/v1/messages/m_1 (HTTP ${status})`);
	expect(error?.context).toMatchObject({ sendStatus });
	expect(error?.description?.includes('unclear whether')).toBe(sendStatus !== 'notSent');
	expect(service.calls('sendText')).toBe(1);
});

test('a request that reads does not go to another host', async () => {
	const headers = { location: `${other.url}/v1/contacts` };
	service.fault({ endpoint: 'listContacts', status: 301, headers, body: '', count: 9 });
	const error = await service.errorOf(contacts);
	expect(error?.message).toContain(`${redirects}, ${other.url}/v1/contacts (HTTP 301)`);
	expect(error?.description).toContain(`Set 'Base URL' in the credential to ${other.url}.`);
	expect(other.seen).toEqual([]);
});

test('for a redirect without an address, the error names none', async () => {
	service.fault({ endpoint: 'sendText', status: 302, body: '' });
	const error = await service.errorOf(sendText);
	expect(error?.message).toContain(`${redirects} (HTTP 302)`);
	expect(error?.description).toContain('to that address');
});
