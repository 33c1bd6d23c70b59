/** What n8n knows and shows of the nodes outside of their parameters. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { map } from 'lodash';
import type { INodeType } from 'n8n-workflow';

import { BusinessMessaging } from '../../../nodes/BusinessMessaging/BusinessMessaging.node';
import { BusinessMessagingTrigger } from '../../../nodes/BusinessMessaging/BusinessMessagingTrigger.node';
import { readText, root } from '../../../harness/engine/files';

/** The file of an icon, e.g. `file:icon.svg`. */
const fileOf = (icon: string) =>
	path.join(root, 'nodes/BusinessMessaging', icon.replace(/^file:/, ''));
const { name: packageName } = JSON.parse(readText('package.json')) as { name: string };

test("n8n's builder knows the trigger from the action", () => {
	const { relatedNodes = [] } = new BusinessMessaging().description.builderHint ?? {};
	const trigger = new BusinessMessagingTrigger().description;
	expect(map(relatedNodes, 'nodeType')).toEqual([`${packageName}.${trigger.name}`]);
});

/** What saved workflows and the webhooks of n8n depend on. */
const facts: Array<{ Node: new () => INodeType; fact: object; hooks: string[] }> = [
	{
		Node: BusinessMessaging,
		fact: {
			...{ displayName: 'Business Messaging', name: 'businessMessaging', version: 1 },
			...{ group: ['output'], inputs: ['main'], outputs: ['main'], usableAsTool: true },
		},
		hooks: [],
	},
	{
		Node: BusinessMessagingTrigger,
		fact: {
			...{ displayName: 'Business Messaging Trigger', name: 'businessMessagingTrigger' },
			...{ group: ['trigger'], version: [1, 1.1], defaultVersion: 1.1 },
			...{ inputs: [], outputs: ['main'] },
			webhooks: [
				{ name: 'setup', httpMethod: 'GET', path: 'webhook', responseMode: 'onReceived' },
				{ name: 'default', httpMethod: 'POST', path: 'webhook', responseMode: 'onReceived' },
			],
		},
		hooks: ['checkExists', 'create', 'delete'],
	},
];

test.each(facts)('$Node.name stays the same for saved workflows', ({ Node, fact, hooks }) => {
	const { description, methods = {}, webhookMethods } = new Node();
	const { displayName, credentials = [], icon = {} } = description;
	expect(description).toMatchObject({ ...fact, defaults: { name: displayName } });
	expect(Object.keys(webhookMethods?.default ?? {})).toEqual(hooks);
	expect(credentials).toMatchObject([{ name: 'businessMessagingApi', required: true }]);
	expect(Object.keys(methods.credentialTest ?? {})).toEqual(map(credentials, 'testedBy'));
	expect(map(icon, fileOf).map(existsSync)).toEqual([true, true]);
});

test('the URL is shown for registering by hand, and only the one of deliveries', () => {
	const { webhooks = [] } = new BusinessMessagingTrigger().description;
	expect(map(webhooks, 'ndvHideUrl')).toEqual([true, expect.stringContaining('!== "manual"')]);
	expect(map(webhooks, 'responseData')).toEqual([undefined, 'noData']);
});
