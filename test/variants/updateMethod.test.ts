/** A service of one API path that takes updates only by the method that the specification shows for the other. */
import { useService } from '../support/service';

const service = useService({ sampleContacts: 1 });

test('an update that the service only takes by the method of the other API path is made by that one, from the start the next time', async () => {
	const [contact] = service.sandbox.state.contacts.all;
	const update = {
		resource: 'contact',
		operation: 'update',
		contactId: { __rl: true, mode: 'id', value: contact.id },
		updateFields: { name: 'Anna' },
	};
	await service.fault({ method: 'PUT', path: '/v1/contacts/*', status: 405, count: 9 });
	await service.fault({
		method: 'PATCH',
		path: '/v1/contacts/*',
		status: 200,
		body: { id: contact.id, by: 'PATCH' },
		count: 9,
	});
	for (let time = 0; time < 2; time++)
		expect((await service.run({ parameters: update })).outputs[0][0].json).toMatchObject({
			by: 'PATCH',
		});
	expect(service.sandbox.state.requests.last().map(({ method }) => method)).toEqual([
		'PUT',
		'PATCH',
		'PATCH',
	]);
});
