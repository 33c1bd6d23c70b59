/** What n8n does with the package at its start, and what its editor downloads. */
import path from 'node:path';

// n8n has loaded these before.
import 'lodash';
import 'luxon';
import 'n8n-workflow';
import 'zod';

import { readText, root } from '../../../harness/engine/files';

type Loaded = Record<string, new () => { description?: unknown }>;

/** Loads the built package as n8n does: all nodes and credentials that package.json names. */
function loadPackage(): unknown[] {
	const { n8n } = JSON.parse(readText('package.json')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	return [...n8n.nodes, ...n8n.credentials].map((file) => {
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- a built file, known by its name only
		const [Type] = Object.values(require(path.join(root, file)) as Loaded);
		return new Type().description;
	});
}

test('loading the package computes no names of countries and no patterns of phone numbers, and loads no run and no inbox', () => {
	const names = jest.spyOn(Intl, 'DisplayNames');
	const { RegExp } = globalThis;
	let patterns = 0;
	globalThis.RegExp = new Proxy(RegExp, {
		construct(target, [pattern, flags]: [string, string]) {
			patterns += 1;
			return new target(pattern, flags);
		},
	});
	let descriptions;
	try {
		descriptions = loadPackage();
	} finally {
		globalThis.RegExp = RegExp;
	}
	expect(descriptions.filter(Boolean)).toHaveLength(2);
	expect(names).not.toHaveBeenCalled();
	expect(patterns).toBeLessThan(20);
	const loaded = Object.keys(require.cache).filter((file) =>
		file.startsWith(path.join(root, 'dist')),
	);
	expect(loaded.join('\n')).not.toMatch(/execution\/run\.js|inbox\/inbox\.js/);
});

test('the editor downloads at most 95,000 bytes for a node', () => {
	const bytes = loadPackage().map((description) =>
		Buffer.byteLength(JSON.stringify(description ?? {})),
	);
	expect(Math.max(...bytes)).toBeLessThanOrEqual(95_000);
	expect(Math.max(...bytes)).toBeGreaterThan(50_000);
});
