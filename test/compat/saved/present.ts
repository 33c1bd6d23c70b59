/** What the present nodes save in workflows. */
import type { INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { BusinessMessagingApi } from '../../../credentials/BusinessMessagingApi.credentials';
// With the extension: without it, tsx takes the codex file (.node.json).
import { BusinessMessaging } from '../../../nodes/BusinessMessaging/BusinessMessaging.node.ts';
import { BusinessMessagingTrigger } from '../../../nodes/BusinessMessaging/BusinessMessagingTrigger.node.ts';
import { everyOperation } from '../../support/everyOperation';
import type { SavedNode } from './fixtures';
import { shapeOf, type SavedShape } from './shape';

export const action = new BusinessMessaging().description;
export const trigger = new BusinessMessagingTrigger().description;
const credential = new BusinessMessagingApi();

/** Send and Wait is no row of {@link everyOperation}: it waits instead of giving something. */
export const asking = 'message sendAndWait';
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
	simplify: false,
};

/** The shape of the present nodes, or of another action node beside them. */
export function presentShape(node: INodeTypeDescription = action): SavedShape {
	const { name, properties } = credential;
	return shapeOf([node, trigger, { name, properties }]);
}

/** Nodes that the present version saves, and that run. */
export function presentNodes(): Record<string, SavedNode> {
	const operations = Object.entries(everyOperation).map(
		([name, { parameters }]): [string, INodeParameters | undefined] => [name, parameters],
	);
	const actions = [...operations, [asking, question] as const].map(([name, own]) => {
		const [resource, operation] = name.split(' ');
		return [name, { typeVersion: 1, parameters: { resource, operation, ...own } }];
	});
	const triggers = [trigger.version]
		.flat()
		.map((typeVersion) => [`trigger ${typeVersion}`, { typeVersion, parameters: events }]);
	return Object.fromEntries([...actions, ...triggers]) as Record<string, SavedNode>;
}
