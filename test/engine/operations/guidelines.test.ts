/** n8n's guidelines that concern all operations. */
import { range } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';

import type { EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import { operations, properties } from '../../../nodes/BusinessMessaging/nodeProperties';
import { everyOperation } from '../../../harness/engine/everyOperation';
import { filesBelow, readText } from '../../../harness/engine/files';
import { useService } from '../../../harness/engine/service';

const service = useService();

test.each<[string, EndpointName]>([
	['contact', 'listContacts'],
	['conversation', 'listConversations'],
	['template', 'listTemplates'],
])('Simplify returns at most 10 fields of a %s', async (resource, endpoint) => {
	const further = Object.fromEntries(range(30).map((number) => [`field${number}`, number]));
	service.list(endpoint, { id: '1', name: 'Ada', phone: '+15550001000', ...further });
	const parameters = { resource, operation: 'getAll', simplify: true };
	const { outputs } = await service.run({ parameters });
	const [items] = outputs;
	expect(items).toHaveLength(1);
	expect(Object.keys(items[0].json).length).toBeLessThanOrEqual(10);
});

test('every operation that deletes returns { deleted: true }', () => {
	const deleting = operations.filter(({ endpoint }) =>
		Object.values(endpoint.methods).includes('DELETE'),
	);
	const given = deleting.map(({ resource, value }) => everyOperation[`${resource} ${value}`].gives);
	expect(given).not.toEqual([]);
	expect(given).toEqual(given.map(() => ({ deleted: true })));
});

/** The labels of several words. Those of one word, e.g. *Text*, are also ordinary words. */
function labelsOf(fields: INodeProperties[]): string[] {
	return fields.flatMap(({ displayName, options = [] }) => [
		...(displayName.includes(' ') ? [displayName] : []),
		...labelsOf(
			options.flatMap((one) => ('type' in one ? one : 'values' in one ? one.values : [])),
		),
	]);
}

test('errors name parameters in single quotes', () => {
	const sources = filesBelow('nodes').filter((file) => file.endsWith('.ts'));
	const errors = sources.flatMap((file) =>
		[...readText(file).matchAll(/new InputError\(([^]*?)\);/g)].map(([, texts]) => texts),
	);
	expect(errors.length).toBeGreaterThan(30);
	const wrong = labelsOf(properties).flatMap((label) =>
		errors.filter((text) => text.replaceAll(`'${label}'`, '').includes(label)),
	);
	expect(wrong).toEqual([]);
});
