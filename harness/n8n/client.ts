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
	INodeTypeDescription,
	IRunExecutionData,
	IWorkflowSettings,
} from 'n8n-workflow';
import { until } from '../until';

/** Milliseconds that n8n may take for one answer. */
const ANSWER_LIMIT = 60_000;
/** Long enough for a trigger that repeats its requests to a service in trouble. */
const PUBLICATION_LIMIT = 180_000;
const ENDED: ExecutionStatus[] = ['success', 'error', 'canceled', 'crashed'];

/** Whether an execution has ended, in whatever way. */
export const hasEnded = ({ status }: Pick<ExecutionSummary, 'status'>) => ENDED.includes(status);

/** Who logs in to a playground's n8n; the password is random for each user folder. */
export type Owner = { email: string; password: string };

/** A workflow as the editor exports and imports it. */
export interface WorkflowFile {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	[key: string]: unknown;
}

/** A workflow that n8n keeps. */
export interface StoredWorkflow extends WorkflowFile {
	id: string;
	active: boolean;
	/** The state that the editor shows. */
	versionId: string;
	/** The state that runs in production, if it is switched on. */
	activeVersionId: string | null;
}

interface Publication {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: Array<{ nodeId: string; errorMessage: string | null }>;
}

/** One line of n8n's list of executions. */
export interface ExecutionSummary {
	id: string;
	workflowId: string;
	status: ExecutionStatus;
	mode: string;
}

/** An execution with the output of all its nodes. */
export interface Execution extends ExecutionSummary {
	/** When n8n stored it, and when it began: dates. */
	createdAt: string;
	startedAt: string | null;
	/** When a waiting one continues by itself. */
	waitTill: string | null;
	data: IRunExecutionData;
}

/** All items of one output of a node, over all its runs in an execution. */
export function outputOf(execution: Execution, node: string, output = 0): INodeExecutionData[] {
	const runs = execution.data.resultData.runData[node] ?? [];
	return runs.flatMap((run) => run.data?.main[output] ?? []);
}

/** The items that an execution has started with at a trigger, even if it was killed before its first node had any output. */
export function startedWith(execution: Execution, trigger: string): INodeExecutionData[] {
	const [waiting] = execution.data.executionData?.nodeExecutionStack ?? [];
	const isFirst = waiting?.node.name === trigger;
	return [...outputOf(execution, trigger), ...((isFirst && waiting.data.main[0]) || [])];
}

/** Whether n8n responded to a delivery while it opened its database: with 200, but it has passed nothing on (docs/trigger-guarantees.md). */
export function cameAtStart({ attempts }: { attempts: Array<{ text?: string }> }): boolean {
	return attempts.at(-1)?.text?.startsWith('n8n is starting up') === true;
}

/**
 * A running n8n's own interface, the one its editor uses. Every method throws an Error with n8n's words when n8n
 * refuses; log in first.
 */
export class N8nClient {
	private readonly http: AxiosInstance;

	constructor(readonly url: string) {
		this.http = axios.create({
			baseURL: url,
			timeout: ANSWER_LIMIT,
			proxy: false,
			// A busy n8n may close a connection that was kept alive at the moment in which it is used again.
			httpAgent: new Agent({ keepAlive: false }),
			// n8n ties the cookie of the log-in to the browser that says so.
			headers: { 'browser-id': randomUUID() },
			maxContentLength: Infinity,
		});
	}

	/** Logs in; the session lasts for as long as this object lives. */
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

	/** Stores a credential and returns its id. */
	async createCredential(name: string, type: string, data: object): Promise<string> {
		return (await this.call<{ id: string }>('POST', '/rest/credentials', { name, type, data })).id;
	}

	/** Stores a credential, in place of the one with the same name and type if there is one, and returns its id. */
	async saveCredential(name: string, type: string, data: object): Promise<string> {
		type Known = Array<{ id: string; name: string; type: string }>;
		const known = await this.call<Known>('GET', '/rest/credentials');
		const same = known.find((credential) => credential.name === name && credential.type === type);
		if (!same) return await this.createCredential(name, type, data);
		await this.call('PATCH', `/rest/credentials/${same.id}`, { name, type, data });
		return same.id;
	}

	/** Stores a workflow, switched off, under a new id. */
	async createWorkflow(file: WorkflowFile): Promise<StoredWorkflow> {
		const { name, nodes, connections, settings = {} } = file;
		return await this.call('POST', '/rest/workflows', { name, nodes, connections, settings });
	}

	/** All workflows, without their nodes. */
	async listWorkflows(): Promise<Array<Pick<StoredWorkflow, 'id' | 'name' | 'active'>>> {
		return await this.call('GET', '/rest/workflows');
	}

	async getWorkflow(id: string): Promise<StoredWorkflow> {
		return await this.call('GET', `/rest/workflows/${id}`);
	}

	/**
	 * Switches a workflow on ("Publish"), and returns when its triggers are registered.
	 * @param version the version of the workflow to publish; the current one by default
	 * @throws Error with the trigger's message if one could not be registered
	 */
	async activate(id: string, version?: string): Promise<void> {
		const versionId = version ?? (await this.getWorkflow(id)).versionId;
		await this.call('POST', `/rest/workflows/${id}/activate`, { versionId });
		const { status, triggers } = await this.publication(id);
		if (status === 'published') return;
		const reasons = triggers.map(({ errorMessage }) => errorMessage).filter(Boolean);
		throw new Error(`n8n could not switch the workflow on: ${reasons.join('; ') || status}`);
	}

	/** Switches a workflow off, and returns when its triggers have deregistered. */
	async deactivate(id: string): Promise<void> {
		await this.call('POST', `/rest/workflows/${id}/deactivate`, {});
		await this.publication(id);
	}

	/** n8n registers and deregisters triggers after it has answered; this waits for the outcome. */
	private async publication(id: string): Promise<Publication> {
		const settled = async () => {
			const path = `/rest/workflows/${id}/publication-status`;
			const publication = await this.call<Publication>('GET', path);
			return publication.status !== 'in_progress' && publication;
		};
		const what = `n8n to switch workflow ${id} on or off`;
		return await until(what, settled, { limit: PUBLICATION_LIMIT });
	}

	/** Starts a workflow as the editor's Execute button does, at the trigger named, and returns the execution's id. */
	async run(workflowId: string, trigger: string): Promise<string> {
		const body = { triggerToStartFrom: { name: trigger } };
		const path = `/rest/workflows/${workflowId}/run`;
		return (await this.call<{ executionId: string }>('POST', path, body)).executionId;
	}

	/** The newest executions of a workflow, newest first, at most 100. */
	async listExecutions(workflowId: string, limit = 100): Promise<ExecutionSummary[]> {
		return (await this.executionPage(workflowId, limit)).results;
	}

	/** All executions of a workflow, newest first, read page by page. */
	async listAllExecutions(workflowId: string): Promise<ExecutionSummary[]> {
		const found: ExecutionSummary[] = [];
		let cursor: string | null | undefined;
		do {
			const page = await this.executionPage(workflowId, 100, cursor);
			found.push(...page.results);
			cursor = page.nextCursor;
		} while (cursor);
		// An execution that ended meanwhile may be on two pages.
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

	/** One execution in its present state. */
	async getExecution(id: string): Promise<Execution> {
		type Stored = Omit<Execution, 'data'> & { data: string };
		const { data, ...summary } = await this.call<Stored>('GET', `/rest/executions/${id}`);
		return { ...summary, data: parse(data) as IRunExecutionData };
	}

	/** Waits until an execution has ended, in whatever way. @param limit milliseconds */
	async waitForExecution(id: string, limit = 60_000): Promise<Execution> {
		const ended = async () => {
			const execution = await this.getExecution(id);
			return hasEnded(execution) && execution;
		};
		return await until(`n8n's execution ${id} to end`, ended, { limit });
	}

	/** The editor's Retry button: runs a failed execution on with the workflow it had; returns the new execution's id. */
	async retry(executionId: string): Promise<string> {
		const path = `/rest/executions/${executionId}/retry`;
		return (await this.call<{ id: string }>('POST', path, { loadWorkflow: false })).id;
	}

	/** The editor's Stop button. */
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

	/** Any other request of the editor's, e.g. `call('GET', '/rest/active-workflows')`; answers are unwrapped from `data`. */
	async call<T>(method: Method, path: string, body?: unknown): Promise<T> {
		try {
			const request = { method, url: path, data: body };
			const { data } = await this.http.request<{ data: T } | ''>(request);
			// n8n responds with 200 and a sentence until its database is open.
			if (typeof data === 'string' && data) throw new Error(`n8n: ${String(data).slice(0, 100)}`);
			return (data as { data: T }).data;
		} catch (error) {
			if (!isAxiosError<{ message?: string } | null>(error)) throw error;
			const reason = error.response?.data?.message ?? error.message;
			throw new Error(`n8n, ${method} ${path}: ${reason}`);
		}
	}
}
