/** The properties of the action node: dropdowns, display conditions and their order, derived from the operations. */
import type { INodeProperties } from 'n8n-workflow';
import { pick, sortBy, uniq, upperFirst } from 'lodash';

import * as operationModules from './operations';
import { showFor } from './operations/fields';
import type { Operation, Resource } from './operations/operation';

/** All operations of the node, sorted by resource and name. */
export const operations: Operation[] = sortBy(Object.values(operationModules), [
	'resource',
	({ name }) => name.toLowerCase(),
]);

/** The operation that each resource begins with. */
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
	options: resources.map((value) => ({ name: upperFirst(value), value })),
	default: 'message',
};

function operationField(resource: Resource): INodeProperties {
	const firstOperation = defaults[resource];
	const own = operations.filter((operation) => operation.resource === resource);
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: own.map((one) => pick(one, ['name', 'value', 'action', 'description'])),
		default: firstOperation,
	};
}

function fieldsOf({ fields, resource, value }: Operation): INodeProperties[] {
	return fields.map((field) => showFor(field, { resource: [resource], operation: [value] }));
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

const actions = Object.fromEntries(
	operations.map(({ resource, value, action }) => [`${resource} ${value}`, action]),
);

/** What the canvas shows under the name of the node, e.g. "Send text message". */
export const subtitle = `={{ (${JSON.stringify(actions)})[$parameter["resource"] + " " + $parameter["operation"]] }}`;
