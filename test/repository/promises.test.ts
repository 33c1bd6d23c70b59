/** What the documentation promises (test/repository/promises), and what fails when it is no longer true. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, readText, root } from '../../harness/engine/files';
import { campaigns } from './promises/campaigns';
import { otherPages } from './promises/otherPages';
import { readme } from './promises/readme';
import { sendAndWait } from './promises/sendAndWait';
import { trigger } from './promises/trigger';

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

const promises = [readme, campaigns, trigger, sendAndWait, otherPages].flatMap((pages) =>
	Object.entries(pages).flatMap(([page, ofPage]) => ofPage.map((one) => ({ page, ...one }))),
);

const fileOf = (name: string) =>
	['test', '.']
		.map((folder) => path.join(folder, name))
		.find((file) => existsSync(path.join(root, file)));

test.each(promises)('$page: $sentence', ({ page, sentence, provedBy }) => {
	expect(inOneLine(readText(page))).toContain(sentence);
	expect(provedBy).not.toEqual([]);
	for (const one of provedBy) {
		const [, name, what] = /^(.+?): (.+)$/.exec(one) ?? [];
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

test.each(['README.md', ...pages])('every promise of %s is listed', (page) => {
	const own = promises.filter((one) => one.page === page).map(({ sentence }) => sentence);
	// What is listed may be a part of a sentence, or more than one.
	const isListed = (sentence: string) =>
		own.some((listed) => sentence.includes(listed.slice(0, 40)) || listed.includes(sentence));
	const found = sentencesOf(page).filter((one) => promising.test(one) && !otherwise.test(one));
	expect(found).not.toEqual([]);
	expect(found.filter((sentence) => !isListed(sentence))).toEqual([]);
});
