import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import axios, { isAxiosError, type AxiosInstance, type Method } from 'axios';
import { parse } from 'flatted';
import uniqBy from 'lodash/uniqBy';
import type {
	ExecutionStatus,
	IBinaryData,
	IConnections,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeTypeDescription,
	IRunExecutionData,
	IWorkflowSettings,
} from 'n8n-workflow';
import { until } from '../until';

/** How long n8n may take for one response, ms. */
const ANSWER_LIMIT = 60_000;
/** How long publishing may take, ms: a trigger repeats its requests while the service has problems. */
const PUBLICATION_LIMIT = 180_000;
const ENDED: ExecutionStatus[] = ['success', 'error', 'canceled', 'crashed'];

/** Whether an execution has ended, also with an error. */
export const hasEnded = ({ status }: Pick<ExecutionSummary, 'status'>) => ENDED.includes(status);

/** The user who logs in to a playground's n8n. The password is random for each user folder. */
export type Owner = { email: string; password: string };

/** A workflow as the editor exports and imports it. */
export interface WorkflowFile {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	[key: string]: unknown;
}

/** A workflow that is stored in n8n. */
export interface StoredWorkflow extends WorkflowFile {
	id: string;
	active: boolean;
	/** The version that the editor shows. */
	versionId: string;
	/** The version that runs in production; null if the workflow is not published. */
	activeVersionId: string | null;
}

interface Publication {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: Array<{ nodeId: string; errorMessage: string | null }>;
}

/** An entry in n8n's list of executions. */
export interface ExecutionSummary {
	id: string;
	workflowId: string;
	status: ExecutionStatus;
	mode: string;
}

/** An execution with the output of all its nodes. */
export interface Execution extends ExecutionSummary {
	/** When n8n stored the execution, and when it began: dates. */
	createdAt: string;
	startedAt: string | null;
	/** When a waiting execution continues by itself. */
	waitTill: string | null;
	data: IRunExecutionData;
}

/** All items of one output of a node, over all its runs in an execution. */
export function outputOf(execution: Execution, node: string, output = 0): INodeExecutionData[] {
	const runs = execution.data.resultData.runData[node] ?? [];
	return runs.flatMap((run) => run.data?.main[output] ?? []);
}

/** The items with which an execution started at a trigger, even if it was killed before its first node had any output. */
export function startedWith(execution: Execution, trigger: string): INodeExecutionData[] {
	const [waiting] = execution.data.executionData?.nodeExecutionStack ?? [];
	const isFirst = waiting?.node.name === trigger;
	return [...outputOf(execution, trigger), ...((isFirst && waiting.data.main[0]) || [])];
}

/**
 * Whether n8n responded to a delivery with 200 while it opened its database, and so has not handled it
 * (docs/trigger.md).
 */
export function cameAtStart({ attempts }: { attempts: Array<{ text?: string }> }): boolean {
	return attempts.at(-1)?.text?.startsWith('n8n is starting up') === true;
}

/** n8n as its editor calls it. If n8n refuses a call, the method throws an Error with n8n's message. Log in first. */
export class N8nClient {
	private readonly http: AxiosInstance;

	constructor(readonly url: string) {
		this.http = axios.create({
			baseURL: url,
			timeout: ANSWER_LIMIT,
			proxy: false,
			// A busy n8n may close a kept-alive connection at the moment at which it is used again.
			httpAgent: new Agent({ keepAlive: false }),
			// n8n ties the cookie of a log-in to this header.
			headers: { 'browser-id': randomUUID() },
			maxContentLength: Infinity,
		});
	}

	async login(owner: Owner): Promise<void> {
		const login = { emailOrLdapLoginId: owner.email, password: owner.password };
		const { headers } = await this.http.post('/rest/login', login);
		const cookies = (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]);
		this.http.defaults.headers.common.cookie = cookies.join('; ');
	}

	/** The nodes that n8n has loaded, its own and those of community packages. */
	async nodeTypes(): Promise<INodeTypeDescription[]> {
		return (await this.http.get<INodeTypeDescription[]>('/types/nodes.json')).data;
	}

	/** E.g. `2.41.1`. */
	async version(): Promise<string> {
		return (await this.call<{ versionCli: string }>('GET', '/rest/settings')).versionCli;
	}

	async createCredential(name: string, type: string, data: object): Promise<string> {
		return (await this.call<{ id: string }>('POST', '/rest/credentials', { name, type, data })).id;
	}

	/** Stores a credential, or changes the one with this name and type. Returns its ID. */
	async saveCredential(name: string, type: string, data: object): Promise<string> {
		type Known = Array<{ id: string; name: string; type: string }>;
		const known = await this.call<Known>('GET', '/rest/credentials');
		const same = known.find((credential) => credential.name === name && credential.type === type);
		if (!same) return await this.createCredential(name, type, data);
		await this.call('PATCH', `/rest/credentials/${same.id}`, { name, type, data });
		return same.id;
	}

	/** Stores a workflow under a new ID, unpublished. */
	async createWorkflow(file: WorkflowFile): Promise<StoredWorkflow> {
		const { name, nodes, connections, settings = {} } = file;
		return await this.call('POST', '/rest/workflows', { name, nodes, connections, settings });
	}

	/** Deletes an unpublished workflow and its executions. */
	async deleteWorkflow(id: string): Promise<void> {
		await this.call('POST', `/rest/workflows/${id}/archive`);
		await this.call('DELETE', `/rest/workflows/${id}`);
	}

	async deleteCredential(id: string): Promise<void> {
		await this.call('DELETE', `/rest/credentials/${id}`);
	}

	async listWorkflows(): Promise<Array<Pick<StoredWorkflow, 'id' | 'name' | 'active'>>> {
		return await this.call('GET', '/rest/workflows');
	}

	async getWorkflow(id: string): Promise<StoredWorkflow> {
		return await this.call('GET', `/rest/workflows/${id}`);
	}

	/** Saves other parameters of a node, as the editor does. Does not publish the workflow. */
	async changeNode(id: string, nodeName: string, parameters: INodeParameters): Promise<void> {
		await this.changeWorkflow(id, ({ nodes }) => ({
			nodes: nodes.map((node) =>
				node.name === nodeName
					? { ...node, parameters: { ...node.parameters, ...parameters } }
					: node,
			),
		}));
	}

	/** Saves other settings of a workflow, as the editor does. */
	async changeSettings(id: string, changes: IWorkflowSettings): Promise<void> {
		await this.changeWorkflow(id, ({ settings }) => ({ settings: { ...settings, ...changes } }));
	}

	private async changeWorkflow(
		id: string,
		change: (workflow: StoredWorkflow) => Partial<WorkflowFile>,
	): Promise<void> {
		const workflow = await this.getWorkflow(id);
		const { versionId, name, nodes, connections, settings } = workflow;
		const body = { name, nodes, connections, settings, versionId, ...change(workflow) };
		await this.call('PATCH', `/rest/workflows/${id}`, body);
	}

	/**
	 * Publishes a workflow, by default in its current version, and returns when its triggers are registered.
	 * @throws Error with a trigger's message if it could not be registered
	 */
	async activate(id: string, version?: string): Promise<void> {
		const versionId = version ?? (await this.getWorkflow(id)).versionId;
		await this.call('POST', `/rest/workflows/${id}/activate`, { versionId });
		const { status, triggers } = await this.publication(id);
		if (status === 'published') return;
		const reasons = triggers.map(({ errorMessage }) => errorMessage).filter(Boolean);
		throw new Error(`n8n could not switch the workflow on: ${reasons.join('; ') || status}`);
	}

	/** Unpublishes a workflow, and returns when its triggers are no longer registered. */
	async deactivate(id: string): Promise<void> {
		await this.call('POST', `/rest/workflows/${id}/deactivate`, {});
		await this.publication(id);
	}

	/**
	 * Waits for the result of publishing or unpublishing: n8n registers and removes triggers after it has responded. It reads
	 * the parts of the status at different moments, so only a status that is the same twice counts.
	 */
	private async publication(id: string): Promise<Publication> {
		const path = `/rest/workflows/${id}/publication-status`;
		const read = async () => await this.call<Publication>('GET', path);
		const settled = async () => {
			const first = await read();
			if (first.status === 'in_progress') return false;
			const second = await read();
			return second.status === first.status && second;
		};
		const what = `n8n to switch workflow ${id} on or off`;
		return await until(what, settled, { limit: PUBLICATION_LIMIT });
	}

	/** Starts a workflow at a trigger, as the editor's Execute button does. @returns the ID of the execution */
	async run(workflowId: string, trigger: string): Promise<string> {
		const body = { triggerToStartFrom: { name: trigger } };
		const path = `/rest/workflows/${workflowId}/run`;
		return (await this.call<{ executionId: string }>('POST', path, body)).executionId;
	}

	/** Newest first, at most 100. */
	async listExecutions(workflowId: string, limit = 100): Promise<ExecutionSummary[]> {
		return (await this.executionPage(workflowId, limit)).results;
	}

	/** Newest first. */
	async listAllExecutions(workflowId: string): Promise<ExecutionSummary[]> {
		const found: ExecutionSummary[] = [];
		let cursor: string | null | undefined;
		do {
			const page = await this.executionPage(workflowId, 100, cursor);
			found.push(...page.results);
			cursor = page.nextCursor;
		} while (cursor);
		// An execution that ended while the pages were read may be on two pages.
		return uniqBy(found, 'id');
	}

	private async executionPage(
		workflowId: string,
		limit: number,
		cursor?: string | null,
	): Promise<{ results: ExecutionSummary[]; nextCursor: string | null }> {
		// axios leaves out what is null or undefined.
		const params = { filter: JSON.stringify({ workflowId }), limit, cursor };
		return await this.call('GET', axios.getUri({ url: '/rest/executions', params }));
	}

	async getExecution(id: string): Promise<Execution> {
		type Stored = Omit<Execution, 'data'> & { data: string };
		const { data, ...summary } = await this.call<Stored>('GET', `/rest/executions/${id}`);
		return { ...summary, data: parse(data) as IRunExecutionData };
	}

	/** @param limit ms */
	async waitForExecution(id: string, limit = 60_000): Promise<Execution> {
		const ended = async () => {
			const execution = await this.getExecution(id);
			return hasEnded(execution) && execution;
		};
		return await until(`n8n's execution ${id} to end`, ended, { limit });
	}

	/** The editor's Retry button: continues a failed execution with the workflow that it had. @returns the ID of the new execution */
	async retry(executionId: string): Promise<string> {
		const path = `/rest/executions/${executionId}/retry`;
		return (await this.call<{ id: string }>('POST', path, { loadWorkflow: false })).id;
	}

	async stopExecution(executionId: string): Promise<void> {
		await this.call('POST', `/rest/executions/${executionId}/stop`);
	}

	/** A file of an execution, as the editor's Download button gets it. */
	async download({ id, data }: IBinaryData): Promise<Buffer> {
		if (!id) return Buffer.from(data, 'base64');
		const params = { id, action: 'download' };
		const url = axios.getUri({ url: '/rest/binary-data', params });
		return (await this.http.get<Buffer>(url, { responseType: 'arraybuffer' })).data;
	}

	/** Any other request of the editor, e.g. `call('GET', '/rest/active-workflows')`. Returns the response's `data`. */
	async call<T>(method: Method, path: string, body?: unknown): Promise<T> {
		try {
			const request = { method, url: path, data: body };
			const { data } = await this.http.request<{ data: T } | ''>(request);
			// Until its database is open, n8n responds with 200 and a sentence.
			if (typeof data === 'string' && data) throw new Error(`n8n: ${String(data).slice(0, 100)}`);
			return (data as { data: T }).data;
		} catch (error) {
			if (!isAxiosError<{ message?: string } | null>(error)) throw error;
			const reason = error.response?.data?.message ?? error.message;
			throw new Error(`n8n, ${method} ${path}: ${reason}`);
		}
	}
}
