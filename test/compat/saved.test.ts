/**
 * Workflows saved by every released version still hold, and run. `npm run saved` notes first what the present nodes save as the
 * version of package.json; `npm version` does so for a release.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { cloneDeep } from 'lodash';
import type { INode, INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { BusinessMessagingApi } from '../../credentials/BusinessMessagingApi.credentials';
import { BusinessMessaging } from '../../nodes/BusinessMessaging/BusinessMessaging.node';
import { BusinessMessagingTrigger } from '../../nodes/BusinessMessaging/BusinessMessagingTrigger.node';
import { root } from '../support/build';
import { everyOperation } from '../support/everyOperation';
import { nodeIssues } from '../support/nodeIssues';
import { useService } from '../support/service';
import { readSaved, type SavedNode, savedVersions, writeSaved } from './saved/fixtures';
import { lostOf, shapeOf } from './saved/shape';

const service = useService();
const action = new BusinessMessaging().description;
const trigger = new BusinessMessagingTrigger().description;
const { name: credentialName, properties: credentialProperties } = new BusinessMessagingApi();
const present = (node: INodeTypeDescription = action) =>
	shapeOf([node, trigger, { name: credentialName, properties: credentialProperties }]);

const asking = 'message sendAndWait';
const starting = /^trigger /;
const question: INodeParameters = {
	to: '=+1555000100{{ $json.n }}',
	message: 'Tuesday?',
	responseType: 'choice',
	choices: 'Yes, No',
	options: { concurrency: 2 },
};
const events: INodeParameters = {
	events: ['message.received', 'message.read'],
	otherEvents: 'contact.created',
	simple: false,
};

/** Nodes that the present version saves, and that run. */
function presentNodes(): Record<string, SavedNode> {
	const parameters = {
		...Object.fromEntries(
			Object.entries(everyOperation).map(([name, one]) => [name, one.parameters]),
		),
		[asking]: question,
	};
	const actions = Object.entries(parameters).map(([name, own]) => {
		const [resource, operation] = name.split(' ');
		return [name, { typeVersion: 1, parameters: { resource, operation, ...own } }];
	});
	const triggers = [trigger.version]
		.flat()
		.map((typeVersion) => [`trigger ${typeVersion}`, { typeVersion, parameters: events }]);
	return Object.fromEntries([...actions, ...triggers]) as Record<string, SavedNode>;
}

const { version: current } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
	version: string;
};
if (process.env.WRITE_SAVED === '1')
	writeSaved(current, { nodes: presentNodes(), shape: present() });

describe.each(savedVersions())('workflows saved by %s', (version) => {
	const { nodes, shape } = readSaved(version);
	const entries = Object.entries(nodes);

	test('every parameter is where it was, with its type, its default and its options', () => {
		expect(lostOf(shape, present())).toEqual([]);
	});

	test.each(entries)('%s: the editor finds nothing wrong', (name, { typeVersion, parameters }) => {
		const description = starting.test(name) ? trigger : action;
		const node: INode = {
			id: '1',
			name,
			type: description.name,
			position: [0, 0],
			typeVersion,
			parameters,
		};
		expect(nodeIssues(node, description)).toEqual([]);
	});

	test.each(entries.filter(([name]) => !starting.test(name)))(
		'%s runs',
		async (name, { typeVersion, parameters }) => {
			const { before, gives } = everyOperation[name] ?? {};
			const ids = (await before?.(service)) ?? [];
			const items = [1, 2, 3].map((n, index) => ({ n, ...ids[index] }));
			const { outputs, status, error } = await service.run({
				parameters,
				items,
				settings: { typeVersion },
			});
			expect(error).toBeUndefined();
			if (name === asking) expect(status).toBe('waiting');
			else
				expect(outputs[0].map(({ json }) => json)).toEqual(
					items.map(() => expect.objectContaining(gives)),
				);
		},
	);

	test.each(entries.filter(([name]) => starting.test(name)))(
		'%s runs',
		async (_, { typeVersion, parameters }) => {
			const it = await service.engine.trigger({
				parameters,
				typeVersion,
				credentials: service.credentials(),
			});
			await it.activate();
			const [{ url, events: registered }] = service.sandbox.state.webhooks.all;
			expect(registered).toEqual(['message.received', 'message.read', 'contact.created']);
			const { workflowData } = await it.deliver(
				{
					event: 'message.received',
					data: { id: `of ${typeVersion}`, from: '+15550001111', text: 'Hello' },
				},
				{},
				url,
			);
			expect(workflowData?.[0]).toHaveLength(1);
			await it.deactivate();
			expect(service.sandbox.state.webhooks.all).toEqual([]);
		},
	);
});

describe('what would break a saved workflow is found', () => {
	/** The field Text of Send Text, as it is or changed. */
	const changed = (change: (text: INodeProperties, all: INodeProperties[]) => void) => {
		const description = cloneDeep(action);
		const isText = ({ name, displayOptions }: INodeProperties) =>
			name === 'text' && displayOptions?.show?.operation?.includes('sendText') === true;
		change(description.properties.find(isText) as INodeProperties, description.properties);
		return lostOf(present(), present(description));
	};
	const place =
		'businessMessaging resource=message operation=sendText: text is string, by default ""';

	test.each<[string, (text: INodeProperties, all: INodeProperties[]) => void]>([
		['another name', (text) => (text.name = 'body')],
		['another type', (text) => (text.type = 'json')],
		['another default', (text) => (text.default = 'Hello')],
		[
			'a further condition',
			(text) =>
				(text.displayOptions = { show: { ...text.displayOptions?.show, messageType: ['text'] } }),
		],
	])('%s', (_, change) => {
		expect(changed(change)).toEqual([place]);
	});

	test('an option or operation that is gone', () => {
		const lost = changed((_, [resource]) => resource.options?.splice(0, 1));
		expect(lost).toEqual(['businessMessaging: resource may be "account"']);
	});

	test('but not a new option, a new label or a new parameter', () => {
		const added = changed((text, all) => {
			text.displayName = 'Words';
			all[0].options?.push({ name: 'New', value: 'new' });
			all.push({ ...text, name: 'further' });
		});
		expect(added).toEqual([]);
	});
});
