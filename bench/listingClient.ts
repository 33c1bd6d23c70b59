/**
 * One listing in a process of its own: `listingClient.ts <node|bare> <base URL> <API key> <first page> <page size> <contacts>`. Prints a
 * JSON line with what it took. Both kinds have n8n in memory, so that they differ in nothing but the listing.
 */
import axios from 'axios';
import { ExecuteContext } from 'n8n-core';
import { createEmptyRunExecutionData, type INodeExecutionData, Workflow } from 'n8n-workflow';
import { readList, type ServiceRecord } from '../nodes/BusinessMessaging/api/read';
import { additionalDataFor } from '../test/support/cli';
import { loadPackage } from '../test/support/package';
import { ACTION, node, withCredential } from '../tools/n8n/workflow';
import { forgetPeak, peakMb, residentMb } from './usage';

const [kind, baseUrl, apiKey, firstPage, pageSize, contacts] = process.argv.slice(2);

/** What a listing took, and the phone numbers it gave. */
export interface Took {
	seconds: number;
	/** Most memory above what the process held before, MB. */
	peakMb: number;
	phones: string[];
}

/** The operation of the node, in the context that n8n gives it. */
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

/** The least that anybody would write who knows the service: page after page until all are there. */
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
