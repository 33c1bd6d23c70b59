/** What an AI agent gets of the records of a list: `Output` takes the place of `Simplify`. */
import { omit } from 'lodash';

import { clientOf } from '../../../harness/engine/functionService';
import { getContacts } from '../../../nodes/BusinessMessaging/operations/contact/getAll';

const phone = '+15550001001';
const loyalty = { points: 5 };
const contact = { id: 'c1', phone, city: 'Rome', tags: [], loyalty, cars: [{ brand: 'A' }] };

test.each([
	['simplified', '', omit(contact, 'loyalty', 'cars')],
	['raw', '', contact],
	['selected', 'phone, loyalty.points', { phone, loyalty }],
])('a tool outputs %s records', async (output, outputFields, record) => {
	const { client } = clientOf(() => ({ body: { data: [contact], total: 1 } }));
	const values = { returnAll: true, simplify: true, filters: {}, options: {} };
	const settings = { timeZone: 'utc', defaultCountry: '' };
	const request = getContacts.request({ ...values, output, outputFields }, settings);
	expect(await getContacts.run(client, request, undefined)).toEqual([record]);
});
