/** The editor's view of the operations: dropdowns, display conditions and their order, derived from the list. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { sortBy, uniq } from 'lodash';

import * as operationModules from './operations';
import type { Operation, Resource } from './operations/operation';

/** All operations of the node, sorted by resource and name. */
export const operations: Operation[] = sortBy(Object.values(operationModules), [
	'resource',
	({ name }) => name.toLowerCase(),
]);

const resourceNames: Record<Resource, string> = {
	account: 'Account',
	analytics: 'Analytics',
	contact: 'Contact',
	conversation: 'Conversation',
	message: 'Message',
	template: 'Template',
	webhook: 'Webhook',
};

/** The resource that a new node begins with, and the operation that each resource begins with. */
const defaults: Record<Resource, string> = {
	account: 'getCurrent',
	analytics: 'getMessageStatistics',
	contact: 'upsert',
	conversation: 'getAll',
	message: 'sendText',
	template: 'getAll',
	webhook: 'getAll',
};

const resources = uniq(operations.map(({ resource }) => resource));

const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: resources.map((value) => ({ name: resourceNames[value], value })),
	default: 'message',
};

function operationField(resource: Resource): INodeProperties {
	const firstOperation = defaults[resource];
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: operations.filter((operation) => operation.resource === resource).map(toOption),
		default: firstOperation,
	};
}

function toOption({ name, value, action, description }: Operation): INodePropertyOptions {
	return { name, value, action, description };
}

function fieldsOf({ fields, resource, value }: Operation): INodeProperties[] {
	return fields.map((field) => ({
		...field,
		displayOptions: {
			...field.displayOptions,
			show: { resource: [resource], operation: [value], ...field.displayOptions?.show },
		},
	}));
}

/** The properties of the action node. */
export const properties: INodeProperties[] = [
	resourceField,
	...resources.map(operationField),
	...operations.flatMap(fieldsOf),
];

/** Finds an operation by what a workflow has saved. */
export function findOperation(resource: string, value: string): Operation | undefined {
	return operations.find(
		(operation) => operation.resource === resource && operation.value === value,
	);
}
