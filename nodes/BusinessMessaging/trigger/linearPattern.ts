/**
 * Regular expressions whose cost grows with the length of the text only.
 *
 * JavaScript's own engine tries out ways one after the other, and a customer's text can make it try for years. This one
 * follows all ways at once (Thompson's construction): at most `steps of the pattern × characters of the text`. What
 * cannot be done that way, back references and look-around, is refused. Single characters are left to JavaScript's
 * engine, so that classes and escapes mean what they mean there. Upper and lower case are the same.
 */

import { InputError } from '../operations/inputError';

/** One step of the compiled pattern. `next` numbers the steps that may follow. */
type Step =
	| { kind: 'character'; matches(character: string): boolean }
	| { kind: 'assertion'; holds(before: string, after: string): boolean }
	| { kind: 'jump'; next: number[] }
	| { kind: 'end' };

/** A part of the pattern, which appends its steps to a program. */
type Part = (program: Step[]) => void;

/** Most steps of a pattern; repetition counts multiply. */
const maxSteps = 500;
/** Characters of a text that are looked at. */
const maxCharacters = 5_000;

function wrong(what: string): InputError {
	return new InputError(
		`The filter Text Matches cannot be used: ${what}`,
		'Correct the regular expression, or use one of the other filters for texts',
	);
}

const atoms =
	/^(?:\\(?:[pP]\{[^}]*\}|u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[^1-9kbBpPuxc])|\[(?:\\.|[^\]\\])*\]|[^\\[\](){}*+?|^$])/isu;
const quantifier = /^(?:[*+?]|\{(\d{1,3})(,(\d{0,3}))?\})\??/;
const isWord = (character: string) => /^\w$/.test(character);

/** Reads a pattern by recursive descent: alternatives, sequences, repetitions, atoms. */
class Reader {
	constructor(private rest: string) {}

	read(): Part {
		const part = this.alternatives();
		if (this.rest !== '') throw wrong('a bracket is closed that was not opened');
		return part;
	}

	private alternatives(): Part {
		const first = this.sequence();
		if (!this.take('|')) return first;
		const second = this.alternatives();
		return (program) => {
			const fork = jump(program);
			fork.next.push(program.length);
			first(program);
			const leave = jump(program);
			fork.next.push(program.length);
			second(program);
			leave.next.push(program.length);
		};
	}

	private sequence(): Part {
		const parts: Part[] = [];
		while (this.rest !== '' && !/^[|)]/.test(this.rest)) parts.push(this.repetition());
		return (program) => parts.forEach((part) => part(program));
	}

	private repetition(): Part {
		const part = this.atom();
		const found = quantifier.exec(this.rest);
		if (!found) return part;
		this.rest = this.rest.slice(found[0].length);
		if (/^[*+?{]/.test(this.rest)) throw wrong('there is nothing to repeat');
		const [mark, least, comma, most] = found;
		if (least === undefined)
			return repeat(part, mark.startsWith('+') ? 1 : 0, mark.startsWith('?') ? 1 : Infinity);
		return repeat(
			part,
			Number(least),
			comma === undefined ? Number(least) : most ? Number(most) : Infinity,
		);
	}

	private atom(): Part {
		if (this.take('^')) return assertion((before) => before === '');
		if (this.take('$')) return assertion((_, after) => after === '');
		if (this.take('\\b')) return assertion((before, after) => isWord(before) !== isWord(after));
		if (this.take('\\B')) return assertion((before, after) => isWord(before) === isWord(after));
		if (this.take('(')) return this.group();
		const found = atoms.exec(this.rest);
		if (!found) throw wrong(`"${this.rest.slice(0, 10)}" is not understood or not supported`);
		this.rest = this.rest.slice(found[0].length);
		return character(found[0]);
	}

	private group(): Part {
		const isSpecial = this.rest.startsWith('?') && !this.take('?:') && !this.takeName();
		if (isSpecial) throw wrong('looking ahead and behind is not supported');
		const part = this.alternatives();
		if (!this.take(')')) throw wrong('a bracket is not closed');
		return part;
	}

	private takeName(): boolean {
		const name = /^\?<\w+>/.exec(this.rest);
		if (name) this.rest = this.rest.slice(name[0].length);
		return name !== null;
	}

	private take(text: string): boolean {
		if (!this.rest.startsWith(text)) return false;
		this.rest = this.rest.slice(text.length);
		return true;
	}
}

function jump(program: Step[]): { next: number[] } {
	const step = { kind: 'jump' as const, next: [] };
	append(program, step);
	return step;
}

function append(program: Step[], step: Step): void {
	if (program.push(step) > maxSteps) throw wrong('it is too long');
}

function assertion(holds: (before: string, after: string) => boolean): Part {
	return (program) => append(program, { kind: 'assertion', holds });
}

function character(source: string): Part {
	const known = new Map<string, boolean>();
	const expression = characterExpression(source);
	const matches = (one: string) => {
		const answer = known.get(one) ?? expression.test(one);
		if (known.size < 1_000) known.set(one, answer);
		return answer;
	};
	return (program) => append(program, { kind: 'character', matches });
}

/** An escaped sign that means nothing special stands for itself. */
function characterExpression(source: string): RegExp {
	const plain = /^\\[^\w\s]$/.test(source)
		? source.replace(/^\\(?![\^$\\.*+?()[\]{}|/])/, '')
		: source;
	const expression = tryExpression(`^${plain}$`);
	if (!expression) throw wrong(`"${source}" is not understood`);
	return expression;
}

function tryExpression(source: string): RegExp | undefined {
	try {
		return new RegExp(source, 'iu');
	} catch {
		return undefined;
	}
}

function repeat(part: Part, least: number, most: number): Part {
	if (most < least) throw wrong('a repetition has its numbers in the wrong order');
	return (program) => {
		for (let n = 0; n < least; n++) part(program);
		const exits: Array<{ next: number[] }> = [];
		for (let n = least; n < most; n++) {
			const start = program.length;
			const fork = jump(program);
			fork.next.push(program.length);
			exits.push(fork);
			part(program);
			if (most !== Infinity) continue;
			jump(program).next.push(start);
			break;
		}
		for (const exit of exits) exit.next.push(program.length);
	};
}

/** Adds a step and all that follow it without a character. */
function follow(
	program: Step[],
	index: number,
	before: string,
	after: string,
	reached: Set<number>,
): void {
	const open = [index];
	for (let at = open.pop(); at !== undefined; at = open.pop()) {
		if (reached.has(at)) continue;
		reached.add(at);
		const step = program[at];
		if (step.kind === 'jump') open.push(...step.next);
		if (step.kind === 'assertion' && step.holds(before, after)) open.push(at + 1);
	}
}

/**
 * Compiles a pattern.
 *
 * @returns whether a text holds a place that matches; only the first 5,000 characters are looked at
 * @throws InputError if the pattern is wrong, too long, or has back references or look-around
 */
export function compilePattern(pattern: string): (text: string) => boolean {
	const program: Step[] = [];
	new Reader(pattern).read()(program);
	append(program, { kind: 'end' });
	const end = program.length - 1;
	return (text) => {
		const characters = [...text].slice(0, maxCharacters);
		let reached = new Set<number>();
		for (let position = 0; position <= characters.length; position++) {
			const [before, here] = [characters[position - 1] ?? '', characters[position] ?? ''];
			follow(program, 0, before, here, reached);
			if (reached.has(end)) return true;
			const next = new Set<number>();
			const after = characters[position + 1] ?? '';
			for (const at of reached) {
				const step = program[at];
				if (step.kind === 'character' && here !== '' && step.matches(here))
					follow(program, at + 1, here, after, next);
			}
			reached = next;
		}
		return false;
	};
}
