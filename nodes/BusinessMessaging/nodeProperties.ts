/** The properties of the action node: dropdowns, display conditions and their order, derived from the operations. */
import type { INodeProperties, IWebhookDescription } from 'n8n-workflow';
import { groupBy, mapKeys, partition, pick, sortBy, startCase, uniq, upperFirst } from 'lodash';

import * as operationModules from './operations';
import { showFor } from './operations/fields';
import type { Operation, Resource } from './operations/operation';
import type { LocalOperation } from './operations/localOperation';

/** The most used operation of each resource, which is the default. In the dropdown, it stays in alphabetical order, as n8n requires. */
const mostUsed = [
	'sendText',
	'sendTemplate',
	'upsert',
	'getAll',
	'getCurrent',
	'getMessageStatistics',
	'getRecipients',
];

/** All operations of the node, by resource. */
const allOperations: Array<Operation | LocalOperation> = sortBy(Object.values(operationModules), [
	'resource',
	({ value }) => (mostUsed.includes(value) ? mostUsed.indexOf(value) : mostUsed.length),
	({ name }) => name.toLowerCase(),
]);

const isLocal = (operation: Operation | LocalOperation): operation is LocalOperation =>
	'runAll' in operation;

/** Those that make requests to the service, and those on what n8n keeps. */
export const operations = allOperations.filter((one): one is Operation => !isLocal(one));
export const localOperations = allOperations.filter(isLocal);

const resources = uniq(allOperations.map(({ resource }) => resource));

const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: resources.map((value) => ({ name: upperFirst(value), value })),
	default: 'message',
};

function operationField(resource: Resource): INodeProperties {
	const own = allOperations.filter((operation) => operation.resource === resource);
	const firstOperation = own[0].value;
	const shown = sortBy(own, ({ name }) => name.toLowerCase());
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: shown.map((one) => pick(one, ['name', 'value', 'action', 'description'])),
		default: firstOperation,
	};
}

/**
 * When a field changes, n8n's editor empties each collection whose condition names this field, whatever is in it. So the
 * conditions of collections name fields from the root: Audience Rules stay when Send Text becomes Send Template.
 */
function withoutLoss(field: INodeProperties): INodeProperties {
	const { type, displayOptions } = field;
	if (!/collection/i.test(type)) return field;
	const fromRoot = (name: string) => (/^[/@]/.test(name) ? name : `/${name}`);
	const show = mapKeys(displayOptions?.show, (_, name) => fromRoot(name));
	return { ...field, displayOptions: { ...displayOptions, show } };
}

/** The last fields of operations, in their order. Some are large, and many operations have the same. */
const lastFields = ['audienceRules', 'additionalFields', 'queryParameters', 'options'];

/** The fields of a resource's operations. Of equal last fields, the editor downloads one for all operations. */
function fieldsOf(resource: Resource): INodeProperties[] {
	const own = allOperations.filter((operation) => operation.resource === resource);
	const all = own.flatMap(({ fields, value }) => fields.map((field) => ({ field, value })));
	const [last, others] = partition(all, ({ field }) => lastFields.includes(field.name));
	const shared = Object.values(groupBy(last, ({ field }) => JSON.stringify(field)));
	const inOrder = sortBy(shared, ([{ field }]) => lastFields.indexOf(field.name));
	return [...others.map((one) => [one]), ...inOrder].map((same) => {
		const condition = { resource: [resource], operation: same.map(({ value }) => value) };
		return withoutLoss(showFor(same[0].field, condition));
	});
}

/** The properties of the action node. */
export const properties: INodeProperties[] = [
	resourceField,
	...resources.map(operationField),
	...resources.flatMap(fieldsOf),
];

/** The webhooks to which n8n sends requests while an execution waits. */
export const replyWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		// Otherwise, n8n responds with the name of its default instead of our response if the execution continues.
		responseData: '',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	},
];

/** Finds an operation by what a workflow has saved. */
export function findOperation(resource: string, value: string): Operation | undefined {
	return operations.find((one) => one.resource === resource && one.value === value);
}

/** The same for an operation on what n8n keeps. */
export function findLocalOperation(resource: string, value: string): LocalOperation | undefined {
	return localOperations.find((one) => one.resource === resource && one.value === value);
}

const titles = Object.fromEntries(
	allOperations.map(({ resource, value, name, action }) => {
		const title = startCase(action).replace(/ (Or|And|For) /g, (word) => word.toLowerCase());
		return [`${resource} ${value}`, resource === 'message' ? name : title];
	}),
);

/** What the canvas shows under the name of the node, e.g. "Send Template" or "Create Contact". */
export const subtitle = `={{ (${JSON.stringify(titles)})[$parameter.resource + " " + $parameter.operation] }}`;
