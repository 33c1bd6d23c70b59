/** What n8n's editor would find wrong with a node of a workflow file, by the description of its type. */
import {
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodeTypeDescription,
	NodeHelpers,
} from 'n8n-workflow';

/** What is the same for all parameters of a node. */
interface Place {
	node: INode;
	description: INodeTypeDescription;
	/** The node's parameters with the defaults of the others. */
	all: INodeParameters;
}

/** Unknown versions, parameters and options, and missing values; each with the node's name. Credentials are not looked at. */
export function nodeIssues(node: INode, description: INodeTypeDescription): string[] {
	if (![description.version].flat().includes(node.typeVersion))
		return [`${node.name}: there is no version ${node.typeVersion}`];
	const all =
		NodeHelpers.getNodeParameters(
			description.properties,
			node.parameters,
			true,
			false,
			node,
			description,
		) ?? {};
	const missing = NodeHelpers.getNodeParametersIssues(
		description.properties,
		{ ...node, parameters: all },
		description,
	);
	const wrong = parameterIssues(description.properties, node.parameters, '', {
		node,
		description,
		all,
	});
	return [...wrong, ...(missing ? NodeHelpers.nodeIssuesToString(missing) : [])].map(
		(issue) => `${node.name}: ${issue}`,
	);
}

function parameterIssues(
	properties: INodeProperties[],
	values: INodeParameters,
	path: string,
	place: Place,
): string[] {
	const { node, description, all } = place;
	return Object.entries(values).flatMap(([name, value]) => {
		const property = properties.find(
			(one) =>
				one.name === name && NodeHelpers.displayParameterPath(all, one, path, node, description),
		);
		const where = path ? `${path}.${name}` : name;
		return property
			? valueIssues(property, value, where, place)
			: [`there is no parameter ${where}`];
	});
}

function valueIssues(
	{ type, typeOptions, options = [] }: INodeProperties,
	value: unknown,
	path: string,
	place: Place,
): string[] {
	if (typeof value === 'string' && value.startsWith('=')) return [];
	if (type === 'collection')
		return parameterIssues(options as INodeProperties[], value as INodeParameters, path, place);
	if (type === 'fixedCollection')
		return groupIssues(options as INodePropertyCollection[], value as INodeParameters, path, place);
	const isListed =
		(type === 'options' || type === 'multiOptions') && !typeOptions?.loadOptionsMethod;
	const known = options.map((option) => ('value' in option ? option.value : undefined));
	return isListed
		? [value]
				.flat()
				.filter((one) => !known.includes(one as string))
				.map((one) => `${path} has no option ${String(one)}`)
		: [];
}

function groupIssues(
	groups: INodePropertyCollection[],
	values: INodeParameters,
	path: string,
	place: Place,
): string[] {
	return Object.entries(values).flatMap(([name, value]) => {
		const group = groups.find((one) => one.name === name);
		if (!group) return [`there is no parameter ${path}.${name}`];
		if (!Array.isArray(value))
			return parameterIssues(group.values, value as INodeParameters, `${path}.${name}`, place);
		return value.flatMap((one, index) =>
			parameterIssues(group.values, one as INodeParameters, `${path}.${name}[${index}]`, place),
		);
	});
}
