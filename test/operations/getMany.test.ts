/** Get Many: every record exactly once, or a hint that there are more. */
import { range } from 'lodash';

import { useService } from '../support/service';

const service = useService({ sampleContacts: 0, pageSizeCap: 30, defaultPageSize: 10 });

function addContacts(count: number): string[] {
	const phones = range(count).map((n) => `+1555000${1000 + n}`);
	for (const phone of phones) service.sandbox.state.contacts.create({ phone });
	return phones;
}
const getMany = async (parameters: object) =>
	await service.run({ parameters: { resource: 'contact', operation: 'getAll', ...parameters } });

test.each([0, 1, 29, 30, 31, 60, 95])(
	'Return All gives each of %i contacts once, in order, though pages are cut to 30',
	async (count) => {
		const phones = addContacts(count);
		const { outputs, hints } = await getMany({ returnAll: true });
		expect((outputs[0] ?? []).map(({ json }) => json.phone)).toEqual(phones);
		expect(hints).toEqual([]);
		expect(service.calls('listContacts')).toBeLessThanOrEqual(Math.ceil(count / 30) + 3);
	},
);

test('Limit asks for no more than it needs', async () => {
	const phones = addContacts(95);
	const { outputs } = await getMany({ limit: '={{ "20" }}' });
	expect(outputs[0].map(({ json }) => json.phone)).toEqual(phones.slice(0, 20));
	expect(service.calls('listContacts')).toBe(1);
});

test('a list that the service does not give in full is given with a hint', async () => {
	const body = { data: [{ id: 'a', phone: '+15550001000' }], total: 25, has_more: true };
	await service.fault({ endpoint: 'listContacts', status: 200, body, count: 99 });
	const { outputs, hints, error } = await getMany({ returnAll: true });
	expect([error, outputs[0].length]).toEqual([undefined, 1]);
	const message = expect.stringContaining('gave 1 of 25 contacts');
	expect(hints).toEqual([expect.objectContaining({ message })]);
});
