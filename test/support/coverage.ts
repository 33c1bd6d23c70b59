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
import type { Evidence, RecordedCall } from './records';

/** What tests have observed of an endpoint, sorted. */
interface Observed {
	/** What has called it, e.g. `Message: Send Text`; a real n8n does not tell. */
	callers: string[];
	/** In which layouts the sandbox has answered. */
	layouts: string[];
	/** Test files, relative to the project. */
	tests: string[];
}

type Coverage = Record<Evidence, Partial<Record<EndpointName, Observed>>>;

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
function routeCalled({
	method,
	path: called,
}: RecordedCall): { name: EndpointName; layout: Layout } | undefined {
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
 * Replaces what the tests of one kind have observed by what was recorded now.
 *
 * @param folder the records, one JSON file for each test file
 * @returns the endpoints that none of the tests has called
 */
export function recordCoverage(evidence: Evidence, folder: string): EndpointName[] {
	const files = existsSync(folder) ? readdirSync(folder) : [];
	const calls = files.flatMap(
		(file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as RecordedCall[],
	);
	const routed = calls.flatMap((call) => {
		const route = routeCalled(call);
		return route ? [{ ...call, ...route }] : [];
	});
	const observed: Coverage[Evidence] = {};
	for (const name of names) {
		const ofName = routed.filter((call) => call.name === name);
		if (ofName.length === 0) continue;
		observed[name] = {
			callers: sorted(ofName.flatMap(({ caller }) => caller ?? [])),
			layouts: sorted(ofName.map(({ layout }) => layout)),
			tests: sorted(ofName.map(({ test }) => test)),
		};
	}
	write({ ...read(), [evidence]: observed });
	return names.filter((name) => !observed[name]);
}

/** `PATCH or PUT /v1/contacts/:id` */
function title({ methods, path: pathOf }: Endpoint): string {
	return `\`${sorted(Object.values(methods)).join(' or ')} ${pathOf}\``;
}

const addresses: Record<string, string> = { sharedHost: '`/api/v1`', dedicatedHost: '`/v1`' };

const cell = (entries: string[] = []) => (entries.length > 0 ? entries.join(', ') : '–');

const links = (files?: string[]) =>
	cell(files?.map((file) => `[${path.basename(file, '.test.ts')}](../${file})`));

function row(name: EndpointName, { engineTests, realN8n }: Coverage): string {
	const observed = engineTests[name];
	const cells = [
		title(endpoints[name]),
		cell(observed?.callers),
		cell(observed?.layouts.map((layout) => addresses[layout])),
		links(observed?.tests),
		links(realN8n[name]?.tests),
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
