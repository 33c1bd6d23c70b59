/** The problems that n8n's editor would find in a node of a workflow file, according to the description of its type. */
import { isMatch, omitBy } from 'lodash';
import {
	type INode,
	type INodeProperties,
	type INodeTypeDescription,
	NodeHelpers,
} from 'n8n-workflow';

/** Unknown versions, parameters and options, and missing values; each with the node's name. Credentials are not checked. */
export function nodeIssues(node: INode, description: INodeTypeDescription): string[] {
	const { name, parameters, typeVersion } = node;
	const { properties, version } = description;
	if (![version].flat().includes(typeVersion))
		return [`${name}: there is no version ${typeVersion}`];
	const all =
		NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description) ?? {};
	const shown = properties.filter((one) =>
		NodeHelpers.displayParameterPath(all, one, '', node, description),
	);
	// n8n leaves out parameters that it does not know or does not show, also inside collections.
	const unknown = omitBy(parameters, (value, key) => isMatch(all, { [key]: value }));
	const missing = NodeHelpers.getNodeParametersIssues(
		properties,
		{ ...node, parameters: all },
		description,
	);
	return [
		...Object.keys(unknown).map((key) => `${key} holds what the node does not have`),
		...shown.flatMap((one) => optionIssues(one, parameters[one.name])),
		...(missing ? NodeHelpers.nodeIssuesToString(missing) : []),
	].map((issue) => `${name}: ${issue}`);
}

function optionIssues({ name, type, options = [] }: INodeProperties, value: unknown): string[] {
	const isListed = type === 'options' || type === 'multiOptions';
	if (!isListed || value === undefined || String(value).startsWith('=')) return [];
	const known = options.map((option) => ('value' in option ? option.value : undefined));
	const wrong = [value].flat().filter((one) => !known.includes(one as string));
	return wrong.map((one) => `${name} has no option ${String(one)}`);
}
