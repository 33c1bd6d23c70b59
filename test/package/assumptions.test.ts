/** docs/api-assumptions.md: every open point of the specification has an assumption, alternatives, a behaviour and a test that exists. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { variationPointNames, valuesOf } from '../../sandbox/variants';
import { root } from '../support/build';

const columns = ['#', 'Open point', 'Assumption', 'In use elsewhere', 'Nodes', 'Test'];

interface Row {
	cells: string[];
	tests: string[];
}

function readRows(text: string): Row[] {
	const lines = text.split('\n').filter((line) => line.startsWith('|'));
	const table = lines.map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
	expect(table[0]).toEqual(columns);
	return table.slice(2).map((cells) => ({
		cells,
		tests: [...(cells.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
	}));
}

const rows = readRows(readFileSync(path.join(root, 'docs/api-assumptions.md'), 'utf8'));

/** Whether a variant of the sandbox or a test file has this name. */
function exists(test: string): boolean {
	const point = variationPointNames.find((name) => test === `variant ${name}`);
	return point
		? valuesOf(point).length > 1
		: /^test\/.*\.test\.ts$/.test(test) && existsSync(path.join(root, test));
}

test('every open point names tests that exist', () => {
	expect(rows.filter(({ tests }) => tests.length === 0).map(({ cells }) => cells[1])).toEqual([]);
	expect(rows.flatMap(({ tests }) => tests).filter((name) => !exists(name))).toEqual([]);
});

test('every open point of the sandbox stands in the table', () => {
	const named = new Set(rows.flatMap(({ tests }) => tests));
	expect(variationPointNames.filter((name) => !named.has(`variant ${name}`))).toEqual([]);
});
