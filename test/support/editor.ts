/** Calls the pickers and mapped forms of a node as n8n's editor does. Source: DynamicNodeParametersService of n8n's cli. */
import { LoadOptionsContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	INode,
	INodeListSearchResult,
	INodeParameters,
	INodeType,
	ResourceMapperFields,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { additionalDataFor } from './additionalData';
import { TestCredentialsHelper } from './credentials';
import type { LoadedPackage } from './package';

/** The node that is open in the editor. */
export interface EditorOptions {
	/** The node type without the package, by default the first one that is no trigger. */
	node?: string;
	/** What is filled in so far. */
	parameters?: INodeParameters;
	credentials?: ICredentialDataDecryptedObject;
}

type Methods = NonNullable<INodeType['methods']>;

/** A node open in the editor. */
export class Editor {
	constructor(
		private readonly loaded: LoadedPackage,
		private readonly node: INode,
		private readonly credentials: ICredentialDataDecryptedObject = {},
	) {}

	/** Opens a searchable list. `filter` is what was typed, `paginationToken` what the page before has returned. */
	async listSearch(
		method: string,
		filter?: string,
		paginationToken?: string,
	): Promise<INodeListSearchResult> {
		const search = this.method('listSearch', method);
		return await search.call(this.context(), filter, paginationToken);
	}

	/** Loads the fields of a mapped form. */
	async resourceMapping(method: string): Promise<ResourceMapperFields> {
		const fields = this.method('resourceMapping', method);
		return await fields.call(this.context());
	}

	private method<Kind extends keyof Methods>(
		kind: Kind,
		name: string,
	): NonNullable<Methods[Kind]>[string] {
		const { type, typeVersion } = this.node;
		const found = this.loaded.nodeTypes.getByNameAndVersion(type, typeVersion).methods?.[kind]?.[
			name
		];
		if (!found) throw new Error(`${type} has no method ${kind}.${name}`);
		return found as NonNullable<Methods[Kind]>[string];
	}

	private context(): LoadOptionsContext {
		const workflow = new Workflow({
			nodes: [this.node],
			connections: {},
			active: false,
			nodeTypes: this.loaded.nodeTypes,
		});
		const additionalData = additionalDataFor(
			new TestCredentialsHelper(this.loaded, this.credentials),
		);
		// The editor sends what is filled in, without defaults.
		additionalData.currentNodeParameters = this.node.parameters;
		return new LoadOptionsContext(
			workflow,
			workflow.nodes[this.node.name],
			additionalData,
			'parameters',
		);
	}
}
