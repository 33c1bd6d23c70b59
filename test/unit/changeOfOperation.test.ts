/** What stays filled in when a person chooses another operation. */
import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { BusinessMessaging } from '../../nodes/BusinessMessaging/BusinessMessaging.node';

const { description } = new BusinessMessaging();

/** The parameters that n8n keeps. */
const kept = (parameters: INodeParameters) => {
	const node = { type: description.name, typeVersion: 1 };
	const { getNodeParameters } = NodeHelpers;
	return getNodeParameters(description.properties, parameters, true, false, node, description);
};

test.each<[resource: string, from: string, to: string, values: INodeParameters]>([
	['analytics', 'getMessageStatistics', 'getAgentStatistics', { period: { from: '2030-01-31' } }],
	['message', 'sendText', 'sendTemplate', { audienceRules: { excludeNumbers: '+15550001000' } }],
	['message', 'sendText', 'sendAndWait', { audienceRules: { duplicates: 'sendAll' } }],
	['message', 'sendTemplate', 'sendText', { options: { messagesPerMinute: 5 } }],
	['contact', 'getAll', 'upsert', { options: { timeout: 7 } }],
])('of %s, %s to %s keeps %j', (resource, operation, other, values) => {
	const before = kept({ resource, operation, ...values });
	expect(before).toMatchObject(values);
	expect(kept({ ...before, operation: other })).toMatchObject(values);
});

// n8n's editor (removeMismatchedOptionValues) compares the names of all parameters of the node with those inside a
// collection whose condition names the changed field, and so always empties it.
test("no condition of a collection names a field of the node, so n8n's editor empties none", () => {
	const collections = description.properties.filter(({ type }) => /collection/i.test(type));
	expect(collections.length).toBeGreaterThan(20);
	const named = collections.flatMap(({ name, displayOptions = {} }) =>
		Object.values(displayOptions).flatMap((conditions) =>
			Object.keys(conditions as object)
				.filter((field) => !/^[/@]/.test(field))
				.map((field) => `${name} by ${field}`),
		),
	);
	expect(named).toEqual([]);
});
