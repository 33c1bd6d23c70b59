/** docs/promises.md: what the documentation promises, and what fails when it is no longer true. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, readText, root } from '../../harness/engine/files';

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
const cellsOf = (row: string) =>
	row
		.split('|')
		.slice(1, -1)
		.map((cell) => cell.trim().replaceAll('&#124;', '|'));

/** A sentence of a document, and what fails when it is false, as the page writes it. */
const rows = readText('docs/promises.md')
	.split(/^## /m)
	.slice(1)
	.flatMap((section) => {
		const [page] = section.split('\n');
		const lines = section.match(/^\|.*\|$/gm) ?? [];
		return lines.slice(2).map((line) => {
			const [promise, evidence = ''] = cellsOf(line);
			return { page, promise, evidence: evidence.split('<br>') };
		});
	});

const fileOf = (name: string) =>
	['test', '.']
		.map((folder) => path.join(folder, name))
		.find((file) => existsSync(path.join(root, file)));

test.each(rows)('$page: $promise', ({ page, promise, evidence }) => {
	expect(inOneLine(readText(page))).toContain(promise);
	for (const one of evidence) {
		const [, name, what] = /^`(.+?)`: (.+)$/.exec(one) ?? [];
		const file = fileOf(name ?? 'none');
		expect([one, file]).toEqual([one, expect.any(String)]);
		expect(inOneLine(readText(file!).replaceAll('\\', ''))).toContain(what);
	}
});

/** What reads like a promise: it says that something is so each time, or gives a bound. */
const promising =
	/\b(never|always|at most|at the latest|at least|nobody|only once|certainly)\b|(nothing|no message) is (ever )?(sent|lost)/i;
/** Documents for users. The others describe how the project is made and measured. */
const pages = filesBelow('docs').filter((name) =>
	/^docs\/(campaigns|send-and-wait|trigger|trigger-guarantees|sandbox|service-requirements|monitoring)\.md$/.test(
		name,
	),
);
/** What reads so, but promises nothing of these nodes: advice, and what n8n or a service does. */
const otherwise =
	/nobody (can )?knows?|if nobody has opted out|nobody can trick the model|never with your API key|any other one never begins|\*Always Output Data\*/i;

/** The sentences of a document, and the cells of its tables. */
function sentencesOf(page: string): string[] {
	const text = readText(page).replaceAll(/```[^]*?```/g, '');
	const blocks = text.split(/\n\s*\n|\n(?=[-|] |\d+\. )/).filter((block) => !block.startsWith('#'));
	return blocks.flatMap((block) => inOneLine(block).split(/(?<=[.!?]) (?=[A-Z*`"[])| \| /));
}

test.each(['README.md', ...pages])('every promise of %s has a row', (page) => {
	const own = rows.filter((row) => row.page === page).map(({ promise }) => promise);
	// A row may quote a part of a sentence, or more than one.
	const isQuoted = (sentence: string) =>
		own.some((promise) => sentence.includes(promise.slice(0, 40)) || promise.includes(sentence));
	const found = sentencesOf(page).filter((one) => promising.test(one) && !otherwise.test(one));
	expect(found).not.toEqual([]);
	expect(found.filter((sentence) => !isQuoted(sentence))).toEqual([]);
});
