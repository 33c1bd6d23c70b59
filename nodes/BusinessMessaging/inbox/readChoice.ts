/** Reads which choice is meant: its words, perhaps beside polite ones, its number, its place, or its words with one wrong letter. */
import { once, range } from 'lodash';

import { foldText, trimPunctuation } from '../foldText';
import { withLatinDigits } from '../phone/readPhone';
import { approvalWords, consistsOf, politeWords, toWords } from '../readApproval';
import { choiceFillers, places } from './choiceWords';

/** Longer replies say more than a choice. */
const maxLength = 100;
/** In shorter words, one other letter often makes another word: home, none. */
const minLettersWithError = 5;

/** Reads a choice. @returns undefined if none is meant, or if it is not certain which */
export function readChoice(text: string, all: string[]): string | undefined {
	// "Refund?" is a question, unless a choice is one.
	const choices = isQuestion(text) ? all.filter(isQuestion) : all;
	const named =
		choices.find((choice) => choice === text) ??
		findChoice(text, choices, (one) => one.normalize().toLowerCase()) ?? // the choices may differ only in accents
		findChoice(text, choices);
	if (named !== undefined || text.length > maxLength || isQuestion(text)) return named;
	const number = /^\d{1,3}$/.test(plainChoice(text)) ? Number(plainChoice(text)) : 0;
	if (number > 0) return numberedChoice(number, choices);
	const near = choices.filter((choice) => isNear(toWords(text), toWords(choice)));
	const around = fillersBeside(choices);
	const fitting = choices.filter((choice) => isOnly(text, [choice], around));
	const [meant, other] = fitting.length > 0 ? fitting : [choiceByPlace(text, choices, around)];
	if (meant === undefined) return choiceWithError(text, near);
	// Words that are one letter from another choice may mean that one.
	const isCertain = other === undefined && near.every((choice) => choice === meant);
	return isCertain ? meant : undefined;
}

const isQuestion = (text: string) => /[?؟？]/.test(text);

/** Whether the number of a choice can mean the choice: not if choices have digits themselves. */
export function areNumbered(choices: string[]): boolean {
	return !choices.some(hasDigit);
}

const hasDigit = (choice: string) => /\d/.test(withLatinDigits(choice.normalize('NFKC')));

/** A text for comparison, without punctuation at its ends. */
function plainChoice(text: string, fold = foldText): string {
	return trimPunctuation(fold(withLatinDigits(text)));
}

/** The choice that equals a text apart from punctuation; undefined for a text of punctuation only, such as *** or -. */
function findChoice(text: string, choices: string[], fold?: (text: string) => string) {
	const wanted = plainChoice(text, fold);
	return wanted === '' ? undefined : choices.find((choice) => plainChoice(choice, fold) === wanted);
}

/** The choice with a number in the list. If choices have digits, it counts only if the choice begins with it, too, and no other has it. */
function numberedChoice(number: number, choices: string[]): string | undefined {
	const choice = choices[number - 1];
	if (choice === undefined || areNumbered(choices)) return choice;
	const numbersIn = (one: string) => withLatinDigits(one).match(/\d+/g)?.map(Number) ?? [];
	const having = choices.filter((one) => numbersIn(one).includes(number));
	const begins = Number.parseInt(withLatinDigits(choice)) === number;
	return begins && having.length === 1 ? choice : undefined;
}

/** Words that do not change a choice. */
const fillers = once(() => [...choiceFillers, ...politeWords(), ...approvalWords.yes.map(toWords)]);

/** The words that do not change a choice; a word of another choice may change it. */
function fillersBeside(choices: string[]): string[] {
	const inChoices = new Set(wordsIn(choices));
	return fillers().filter((filler) => !filler.split(' ').some((word) => inChoices.has(word)));
}

const wordsIn = (choices: string[]) => choices.flatMap((choice) => toWords(choice).split(' '));

/** Whether a text is only these words and such as do not change them. */
function isOnly(text: string, words: string[], around: string[]): boolean {
	const [reply, ...answers] = [text, ...words].map((one) => toWords(withLatinDigits(one)));
	return consistsOf(reply, answers, around);
}

function choiceByPlace(text: string, choices: string[], around: string[]): string | undefined {
	if (!areNumbered(choices)) return undefined;
	const wordsFor = (place: number) =>
		places.flatMap((row) => [
			...(place <= 4 ? row[place - 1] : []),
			...(place === choices.length ? row[4] : []),
			...['option', 'number', 'nummer', 'numero', 'opcion'].map((word) => `${word} ${place}`),
		]);
	const isPlaceWord = new Set(range(1, 5).flatMap(wordsFor));
	if (wordsIn(choices).some((word) => isPlaceWord.has(word))) return undefined;
	const fitting = choices.filter((_, index) =>
		isOnly(text, [...wordsFor(index + 1), String(index + 1)], around),
	);
	return fitting.length === 1 ? fitting[0] : undefined;
}

/** The choice whose words have one wrong letter. @param near all choices that are as near */
function choiceWithError(text: string, near: string[]): string | undefined {
	const [choice] = near;
	if (near.length !== 1 || hasDigit(choice)) return undefined;
	const words = toWords(choice);
	const isLong = (words.match(/\p{L}/gu) ?? []).length >= minLettersWithError;
	return isLong && toWords(text)[0] === words[0] ? choice : undefined;
}

/** Whether one letter is missing, surplus or another one, or two neighbors are exchanged; or nothing is. */
function isNear(one: string, other: string): boolean {
	const [first, second] = [Array.from(one), Array.from(other)];
	let start = 0;
	while (start < first.length && first[start] === second[start]) start++;
	let end = 0;
	const common = Math.min(first.length, second.length) - start;
	while (end < common && first.at(-1 - end) === second.at(-1 - end)) end++;
	const [changed, into] = [
		first.slice(start, first.length - end),
		second.slice(start, second.length - end),
	];
	if (changed.length <= 1 && into.length <= 1) return true;
	return (
		changed.length === 2 && into.length === 2 && changed[0] === into[1] && changed[1] === into[0]
	);
}
