/**
 * Lists contacts once: `listingClient.ts <node|bare> <base URL> <API key> <first page> <page size> <contacts>`. Sends
 * the result to the parent process. Both kinds load n8n, so that they differ only in how they list.
 */
import axios from 'axios';
import { ExecuteContext } from 'n8n-core';
import { createEmptyRunExecutionData, type INodeExecutionData, Workflow } from 'n8n-workflow';
import type { ServiceRecord } from '../nodes/BusinessMessaging/jsonValues';
import { readList } from '../nodes/BusinessMessaging/reading/readResponse';
import { type LoadedPackage, additionalDataFor, loadPackage } from '../harness/engine/loadPackage';
import { ACTION, node, withCredential } from '../harness/n8n/workflow';
import { forgetPeak, peakMb } from './usage';

const [kind, baseUrl, apiKey, firstPage, pageSize, contacts] = process.argv.slice(2);

/** Duration and memory of a listing, and the phone numbers that it gave. */
export interface Took {
	seconds: number;
	/** Peak memory above that before the listing, MB. */
	peakMb: number;
	phones: string[];
}

/** Contact: Get Many, as n8n runs it. */
async function listByNode(loaded: LoadedPackage): Promise<ServiceRecord[]> {
	const parameters = { resource: 'contact', operation: 'getAll', returnAll: true };
	const nodes = [node('List', ACTION, 1, parameters, withCredential('1'))];
	const { nodeTypes } = loaded;
	const own = { id: 'listing', nodes, connections: {}, active: false, nodeTypes };
	const workflow = new Workflow(own);
	const credentials = { apiKey, baseUrl, apiPath: 'automatic', requestsPerMinute: 1_000_000 };
	const items: INodeExecutionData[] = [{ json: {} }];
	const context = new ExecuteContext(
		workflow,
		workflow.nodes.List,
		additionalDataFor(loaded, credentials),
		'manual',
		createEmptyRunExecutionData(),
		0,
		items,
		{ main: [items] },
		{ node: workflow.nodes.List, data: { main: [items] }, source: null },
		[],
	);
	const output = await loaded.node('businessMessaging').execute?.call(context);
	return (output as INodeExecutionData[][])[0].map(({ json }) => json);
}

/** The shortest code for somebody who knows the service: one request per page. */
async function listBare(): Promise<ServiceRecord[]> {
	const client = axios.create({
		baseURL: baseUrl,
		headers: { authorization: `Bearer ${apiKey}` },
		proxy: false,
	});
	const records: ServiceRecord[] = [];
	for (let page = 0; page < Math.ceil(Number(contacts) / Number(pageSize)); page++) {
		const { data } = await client.get<unknown>('/v1/contacts', {
			params: { limit: Math.min(1_000, Number(pageSize)), page: page + Number(firstPage) },
		});
		for (const record of readList(data) ?? []) records.push(record);
	}
	return records;
}

async function main(): Promise<void> {
	const loaded = await loadPackage();
	globalThis.gc?.();
	forgetPeak(process.pid);
	const before = peakMb(process.pid);
	const start = performance.now();
	const records = await (kind === 'node' ? listByNode(loaded) : listBare());
	const took: Took = {
		seconds: (performance.now() - start) / 1000,
		peakMb: peakMb(process.pid) - before,
		phones: records.map(({ phone }) => String(phone)),
	};
	process.send?.(took, () => process.disconnect());
}

void main();
