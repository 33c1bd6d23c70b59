/** Workflows that were saved with any released version are still valid, and run. */
import { cloneDeep } from 'lodash';
import type { INode, INodeProperties } from 'n8n-workflow';
import { everyOperation, itemsFor } from '../../../harness/engine/everyOperation';
import { nodeIssues } from '../../../harness/engine/nodeIssues';
import { useService } from '../../../harness/engine/service';
import {
	readSaved,
	savedVersions,
	action,
	asking,
	lostOf,
	presentShape,
	trigger,
} from '../../../harness/savedWorkflows';

const service = useService();
const starting = /^trigger /;

describe.each(savedVersions())('workflows saved by %s', (version) => {
	const { nodes, shape } = readSaved(version);
	const entries = Object.entries(nodes);

	test('every parameter is still at the same place, with the same type, default and options', () => {
		expect(lostOf(shape, presentShape())).toEqual([]);
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
			const row = everyOperation[name] ?? {};
			const all = await itemsFor(service, row);
			const items = name === asking ? all.slice(0, 1) : all; // several items need a trigger
			const { outputs, status, error } = await service.run({
				parameters,
				items,
				settings: { typeVersion },
			});
			expect(error).toBeUndefined();
			if (name === asking) expect(status).toBe('waiting');
			else
				expect(outputs[0].map(({ json }) => json)).toEqual(
					items.map(() => expect.objectContaining(row.gives)),
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

describe('finds changes that would break a saved workflow', () => {
	/** The field Text of Send Text, as it is or changed. */
	const changed = (change: (text: INodeProperties, all: INodeProperties[]) => void) => {
		const description = cloneDeep(action);
		const isText = ({ name, displayOptions }: INodeProperties) =>
			name === 'text' && displayOptions?.show?.operation?.includes('sendText') === true;
		change(description.properties.find(isText) as INodeProperties, description.properties);
		return lostOf(presentShape(), presentShape(description));
	};
	const place =
		'businessMessaging 1 resource=message operation=sendText: text is string, by default ""';

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
		expect(lost).toEqual(['businessMessaging 1: resource may be "account"']);
	});

	test('but accepts a new default in a new version if the old version keeps the old one', () => {
		const added = changed((text, all) => {
			const ofVersion = (version: number, value: string) => ({
				...text,
				default: value,
				displayOptions: { show: { ...text.displayOptions?.show, '@version': [version] } },
			});
			all.splice(all.indexOf(text), 1, ofVersion(1, ''), ofVersion(2, 'Hello'));
		});
		expect(added).toEqual([]);
	});

	test('but accepts a new option, a new label or a new parameter', () => {
		const added = changed((text, all) => {
			text.displayName = 'Words';
			all[0].options?.push({ name: 'New', value: 'new' });
			all.push({ ...text, name: 'further' });
		});
		expect(added).toEqual([]);
	});
});
