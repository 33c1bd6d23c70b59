/** Finds passages of code that stand twice. */

/** A source file. */
export interface SourceFile {
	name: string;
	text: string;
}

interface CodeLine {
	/** Counted from 1, in the file. */
	number: number;
	text: string;
}

/** Lines that say something: without imports and re-exports, comments, blanks, and lines of mere punctuation. */
function codeLines(text: string): CodeLine[] {
	const blanked = text
		.replaceAll(/^(?:import|export)\s[^;]*?\sfrom\s'[^']+';$/gm, (passage) =>
			passage.replaceAll(/[^\n]/g, ''),
		)
		.replaceAll(/\/\*[\s\S]*?\*\//g, (passage) => passage.replaceAll(/[^\n]/g, ''))
		.replaceAll(/(^|\s)\/\/ .*$/gm, '');
	return blanked
		.split('\n')
		.map((line, index) => ({ number: index + 1, text: line.trim().replaceAll(/\s+/g, ' ') }))
		.filter((line) => /\w/.test(line.text));
}

/**
 * Passages of at least `length` such lines that stand in two places.
 *
 * @returns one line for each place after the first, e.g. `b.ts:7 = a.ts:3: const x = 1;`
 */
export function repeatedPassages(files: SourceFile[], length: number): string[] {
	const seen = new Map<string, { name: string; number: number; index: number }>();
	const repeated: string[] = [];
	for (const { name, text } of files) {
		const lines = codeLines(text);
		for (let index = 0; index + length <= lines.length; index++) {
			const passage = lines
				.slice(index, index + length)
				.map((line) => line.text)
				.join('\n');
			const { number, text: first } = lines[index];
			const earlier = seen.get(passage);
			if (!earlier) seen.set(passage, { name, number, index });
			// Not its own overlap: the same line six times in a row is no passage that stands twice.
			else if (earlier.name !== name || index - earlier.index >= length) {
				repeated.push(`${name}:${number} = ${earlier.name}:${earlier.number}: ${first}`);
			}
		}
	}
	return repeated;
}
