/** Loads the built package with n8n-core's own loader and offers it to n8n's engine the way n8n does. */
import './environment';

import 'reflect-metadata';

import { PackageDirectoryLoader } from 'n8n-core';
import type { ICredentialType, INodeType, INodeTypeDescription, INodeTypes } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { root } from './build';
import { useRegexEngine } from './engineParts';
import { helperNodes } from './helperNodes';

// n8n gives a regular expression of a description 250 ms in a context of its own, too little for a busy machine now and
// then. Without that limit no test depends on the machine's speed.
useRegexEngine({
	exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
	test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
	replace: (pattern, input, flags, replacement) =>
		input.replace(new RegExp(pattern, flags), replacement),
	matchAll: (pattern, input, flags = '') => [
		...input.matchAll(new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`)),
	],
	split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
});

/** A package as n8n has it in memory. */
export interface LoadedPackage {
	/** npm name, which is also the first part of its node types. */
	name: string;
	/** Names of its node types without the package, e.g. `businessMessaging`. */
	nodeNames: string[];
	credentialNames: string[];
	/** The package's node types and the harness's helper nodes, as `Workflow` wants them. */
	nodeTypes: INodeTypes;
	/** @throws UnrecognizedNodeTypeError if the package has no such node */
	node(name: string): INodeType;
	/** @throws UnrecognizedCredentialTypeError if the package has no such credential type */
	credential(name: string): ICredentialType;
}

/**
 * Loads a built package.
 *
 * @param directory the folder with its package.json, by default this project's
 */
export async function loadPackage(directory = root): Promise<LoadedPackage> {
	const loader = new PackageDirectoryLoader(directory);
	await loader.loadAll();
	const name = loader.packageName;

	const find = (type: string) => {
		const helper = helperNodes[type];
		if (helper) return helper;
		if (!type.startsWith(`${name}.`))
			throw new Error(`Neither ${name} nor the harness has a node type ${type}`);
		return loader.getNode(type.slice(name.length + 1)).type;
	};
	return {
		name,
		nodeNames: Object.keys(loader.nodeTypes),
		credentialNames: Object.keys(loader.credentialTypes),
		nodeTypes: {
			getByName: find,
			getByNameAndVersion: (type, version) => NodeHelpers.getVersionedNodeType(find(type), version),
			getKnownTypes: () => ({}),
		},
		node: (type) => NodeHelpers.getVersionedNodeType(loader.getNode(type).type),
		credential: (type) => loader.getCredential(type).type,
	};
}

/** The newest version of a node's description, from its type. */
export function newestVersion({ version }: INodeTypeDescription): number {
	return Array.isArray(version) ? Math.max(...version) : version;
}
