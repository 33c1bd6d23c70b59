/** The README's cures are found by the message that the user sees, so the messages have to be those of the code. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, root } from '../support/build';

const sources = [...filesBelow('nodes'), ...filesBelow('credentials')]
	.filter((name) => name.endsWith('.ts'))
	.map((name) => readFileSync(path.join(root, name), 'utf8').replaceAll("\\'", "'"));
const [, section] = readFileSync(path.join(root, 'README.md'), 'utf8').split(
	'\n## Problems and cures\n',
);
const cells = section
	.split('\n## ')[0]
	.split('\n')
	.filter((line) => line.startsWith('| `'))
	.map((line) => line.split(' | ')[0]);
const messages = cells.flatMap((cell) =>
	[...cell.matchAll(/`([^`]+)`/g)].map(([, message]) => message),
);

test('the table has messages', () => {
	expect(messages.length).toBeGreaterThan(10);
});

/** What stands between the parts that vary, which are written as "…". */
test.each(messages)('%s', (message) => {
	for (const part of message
		.split(/"?…"?/)
		.map((words) => words.trim())
		.filter((words) => words.length > 3)) {
		expect({ part, isInTheCode: sources.some((source) => source.includes(part)) }).toEqual({
			part,
			isInTheCode: true,
		});
	}
});
