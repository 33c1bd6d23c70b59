/**
 * Lists once: `listingClient.ts <node|bare> <base URL> <API key> <first page> <page size> <contacts>`. Sends the result to the
 * parent process. Both kinds load n8n, so that they only differ in how they list.
 */
import axios from 'axios';
import { ExecuteContext } from 'n8n-core';
import { createEmptyRunExecutionData, type INodeExecutionData, Workflow } from 'n8n-workflow';
import { readList, type ServiceRecord } from '../nodes/BusinessMessaging/api/read';
import { additionalDataFor, loadPackage } from '../test/support/package';
import { ACTION, node, withCredential } from '../tools/n8n/workflow';
import { forgetPeak, peakMb, residentMb } from './usage';

const [kind, baseUrl, apiKey, firstPage, pageSize, contacts] = process.argv.slice(2);

/** Duration and memory of a listing, and the phone numbers that it gave. */
export interface Took {
	seconds: number;
	/** Peak memory above that before the listing, MB. */
	peakMb: number;
	phones: string[];
}

/** Contact: Get Many, as n8n runs it. */
async function prepareNode(): Promise<() => Promise<ServiceRecord[]>> {
	const loaded = await loadPackage();
	const parameters = { resource: 'contact', operation: 'getAll', returnAll: true };
	const list = node('List', ACTION, 1, parameters, withCredential('1'));
	const workflow = new Workflow({
		id: 'listing',
		nodes: [list],
		connections: {},
		active: false,
		nodeTypes: loaded.nodeTypes,
	});
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
	const action = loaded.node('businessMessaging');
	return async () =>
		((await action.execute?.call(context)) as INodeExecutionData[][])[0].map(({ json }) => json);
}

/** The shortest code for somebody who knows the service: one request per page. */
async function prepareBare(): Promise<() => Promise<ServiceRecord[]>> {
	await loadPackage();
	const client = axios.create({
		baseURL: baseUrl,
		headers: { authorization: `Bearer ${apiKey}` },
		proxy: false,
	});
	const pages = Math.ceil(Number(contacts) / Number(pageSize));
	return async () => {
		const records: ServiceRecord[] = [];
		for (let page = 0; page < pages; page++) {
			const { data } = await client.get<unknown>('/v1/contacts', {
				params: { limit: Math.min(1_000, Number(pageSize)), page: page + Number(firstPage) },
			});
			for (const record of readList(data) ?? []) records.push(record);
		}
		return records;
	};
}

async function main(): Promise<void> {
	const list = await (kind === 'node' ? prepareNode() : prepareBare());
	globalThis.gc?.();
	forgetPeak(process.pid);
	const before = residentMb(process.pid);
	const start = performance.now();
	const records = await list();
	const seconds = (performance.now() - start) / 1000;
	const took: Took = {
		seconds,
		peakMb: peakMb(process.pid) - before,
		phones: records.map(({ phone }) => String(phone)),
	};
	process.send?.(took, () => process.disconnect());
}

void main();
