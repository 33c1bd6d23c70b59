/** Listings: every record exactly once. */
import { range } from 'lodash';

import { useService } from '../support/service';

const service = useService({ sampleContacts: 0, pageSizeCap: 30, defaultPageSize: 10 });

async function addContacts(count: number): Promise<string[]> {
	const phones = range(count).map((n) => `+1555000${1000 + n}`);
	for (const phone of phones) service.sandbox.state.contacts.create({ phone });
	return phones;
}

test.each([0, 1, 29, 30, 31, 60, 95])(
	'Return All gives each of %i contacts once, in order, though pages are cut to 30',
	async (count) => {
		const phones = await addContacts(count);
		const { outputs } = await service.run({
			parameters: { resource: 'contact', operation: 'getAll', returnAll: true },
		});
		expect((outputs[0] ?? []).map(({ json }) => json.phone)).toEqual(phones);
		expect(service.calls('listContacts')).toBeLessThanOrEqual(
			Math.max(1, Math.ceil(count / 30)) + 3,
		);
	},
);

test('Limit asks for no more than it needs', async () => {
	const phones = await addContacts(95);
	const { outputs } = await service.run({
		parameters: { resource: 'contact', operation: 'getAll', limit: 20 },
	});
	expect(outputs[0].map(({ json }) => json.phone)).toEqual(phones.slice(0, 20));
	expect(service.calls('listContacts')).toBe(1);
});

test('Create or Update lists once for all items and finds contacts however their number is written', async () => {
	await addContacts(40);
	const items = [
		{ phone: '+1 (555) 000-1003' },
		{ phone: '001555000-1039' },
		{ phone: '+15550009000' },
		{ phone: '+15550009000' },
	];
	const { outputs, error } = await service.run({
		parameters: {
			resource: 'contact',
			operation: 'upsert',
			phone: '={{ $json.phone }}',
			name: 'Anna',
		},
		items,
	});
	expect(error).toBeUndefined();
	expect(outputs[0]).toHaveLength(4);
	expect(service.calls('listContacts')).toBeLessThanOrEqual(5);
	expect([service.calls('createContact'), service.calls('updateContact')]).toEqual([1, 3]);
	expect(service.sandbox.state.contacts.all).toHaveLength(41);
});
