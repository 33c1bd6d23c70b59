/**
 * docs/coverage.md: for each endpoint of the specification, which node operation calls it, where the sandbox answers it,
 * which engine test has seen that, and what has called it from a real n8n. The table is written from docs/coverage.json,
 * of which `npm test` and `npm run test:e2e` each replace their part by what they have observed.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { endpoints, layouts, routeOf } from '../../nodes/BusinessMessaging/api/endpoints';
import type { Endpoint, EndpointName, Layout } from '../../nodes/BusinessMessaging/api/endpoints';
import { root } from './build';

/** What engine tests have observed of an endpoint, sorted. */
interface Observed {
	/** What has called it, e.g. `Message: Send Text`. */
	callers: string[];
	/** In which layouts the sandbox has answered. */
	layouts: string[];
	/** Test files, relative to the project. */
	tests: string[];
}

interface Coverage {
	engineTests: Partial<Record<EndpointName, Observed>>;
	/** Endpoints that were called successfully from a real n8n, by what was run there, e.g. `welcome campaign`. */
	realN8n: Record<string, EndpointName[]>;
}

/** A successful call, as the engine tests record it. */
interface Call {
	method: string;
	path: string;
	caller: string;
	test: string;
}

const dataFile = path.join(root, 'docs/coverage.json');
const tableFile = path.join(root, 'docs/coverage.md');
const names = Object.keys(endpoints) as EndpointName[];

const sorted = <T extends string>(values: T[]) => [...new Set(values)].sort();

function read(): Coverage {
	if (!existsSync(dataFile)) return { engineTests: {}, realN8n: {} };
	return JSON.parse(readFileSync(dataFile, 'utf8')) as Coverage;
}

function write(coverage: Coverage): void {
	writeFileSync(dataFile, `${JSON.stringify(coverage, null, '\t')}\n`);
	writeFileSync(tableFile, table(coverage));
}

/** The endpoint and layout that a call went to; undefined for a call of anything else. */
function routeCalled({ method, path: called }: Call): { name: EndpointName; layout: Layout } | undefined {
	for (const name of names) {
		for (const layout of layouts) {
			const route = routeOf(endpoints[name], layout);
			const pattern = new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`);
			if (route.method === method && pattern.test(called)) return { name, layout };
		}
	}
	return undefined;
}

/**
 * Replaces what the engine tests have observed by what was recorded now.
 *
 * @param folder the records of calls.ts, one JSON file for each test file
 * @returns the endpoints that no engine test has called
 */
export function recordEngineTests(folder: string): EndpointName[] {
	const files = existsSync(folder) ? readdirSync(folder) : [];
	const calls = files.flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Call[]);
	const routed = calls.flatMap((call) => {
		const route = routeCalled(call);
		return route ? [{ ...call, ...route }] : [];
	});
	const engineTests: Coverage['engineTests'] = {};
	for (const name of names) {
		const ofName = routed.filter((call) => call.name === name);
		if (ofName.length === 0) continue;
		engineTests[name] = {
			callers: sorted(ofName.map(({ caller }) => caller)),
			layouts: sorted(ofName.map(({ layout }) => layout)),
			tests: sorted(ofName.map(({ test }) => test)),
		};
	}
	write({ ...read(), engineTests });
	return names.filter((name) => !engineTests[name]);
}

const seenOnRealN8n = new Map<string, EndpointName[]>();

/**
 * Notes what a real n8n has called: for tests on a real n8n, from the sandbox's log of requests, e.g. after each test
 * `recordRealN8n('campaigns', sandbox.state.requests.last())`.
 *
 * @param label what was run; calls with the same label in one test file add up and replace those of earlier runs
 */
export function recordRealN8n(label: string, requests: Array<{ endpoint: string | null; status: number | null }>): void {
	const isSuccess = ({ status }: { status: number | null }) => status !== null && status >= 200 && status < 300;
	const called = requests.filter(isSuccess).map(({ endpoint }) => endpoint as EndpointName);
	const known = called.filter((name) => names.includes(name));
	seenOnRealN8n.set(label, sorted([...(seenOnRealN8n.get(label) ?? []), ...known]));
	const { engineTests, realN8n } = read();
	const entries = Object.entries({ ...realN8n, ...Object.fromEntries(seenOnRealN8n) });
	write({ engineTests, realN8n: Object.fromEntries(entries.sort(([one], [other]) => one.localeCompare(other))) });
}

/** `PATCH or PUT /v1/contacts/:id` */
function title({ methods, path: pathOf }: Endpoint): string {
	return `\`${sorted(Object.values(methods)).join(' or ')} ${pathOf}\``;
}

const addresses: Record<string, string> = { sharedHost: '`/api/v1`', dedicatedHost: '`/v1`' };

const cell = (entries: string[] | undefined) => (entries && entries.length > 0 ? entries.join(', ') : '–');

function row(name: EndpointName, { engineTests, realN8n }: Coverage): string {
	const observed = engineTests[name];
	const cells = [
		title(endpoints[name]),
		cell(observed?.callers),
		cell(observed?.layouts.map((layout) => addresses[layout])),
		cell(observed?.tests.map((file) => `[${path.basename(file, '.test.ts')}](../${file})`)),
		cell(Object.keys(realN8n).filter((label) => realN8n[label].includes(name))),
	];
	return `| ${cells.join(' | ')} |`;
}

function table(coverage: Coverage): string {
	return [
		'# Coverage of the specification',
		'',
		'Written by the tests: only calls that were really made, and that the sandbox answered with success, are listed.',
		'`npm test` writes the first three columns, `npm run test:e2e` the last one.',
		'',
		'| Endpoint | Node operation | Sandbox | Engine test | Real n8n |',
		'| --- | --- | --- | --- | --- |',
		...names.map((name) => row(name, coverage)),
		'',
	].join('\n');
}
