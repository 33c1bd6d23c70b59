/** Chooses a variant of the service that the specification allows, by name or at random. */
import { mapValues } from 'lodash';
import { z } from 'zod';

import { variationPoints } from './points';

type Table = typeof variationPoints;
/** Name of a variation point, e.g. `page-base`. */
export type VariationPointName = keyof Table;
type ValuesOf<Point> = Point extends readonly [string, ...infer Values] ? Values : never;
type NameOf<Value> = Value extends `${infer Name}: ${string}` ? Name : Value;

/** One value for each variation point. Numbers are written as text. */
export type Choice = {
	-readonly [Name in VariationPointName]: NameOf<ValuesOf<Table[Name]>[number]>;
};

/** The names of all variation points. */
export const variationPointNames = Object.keys(variationPoints) as VariationPointName[];

/** A value's name and meaning. */
function named(value: string): { name: string; words: string } {
	const [name, ...words] = value.split(': ');
	return { name, words: words.join(': ') };
}

/** The values of a variation point; the first is the default of the sandbox. */
export function valuesOf<Name extends VariationPointName>(name: Name): Array<Choice[Name]> {
	const [, ...values] = variationPoints[name];
	return values.map((value) => named(value).name) as Array<Choice[Name]>;
}

const pointSchema = (name: VariationPointName) =>
	z.enum(valuesOf(name) as [string, ...string[]]).default(valuesOf(name)[0]);

/** The option `variants` of a sandbox: any variation point that is left out has its first value. */
export const variantsSchema = z
	.object(mapValues(variationPoints, (_, name) => pointSchema(name as VariationPointName)))
	.strict()
	.default({}) as unknown as z.ZodType<Choice, z.ZodTypeDef, Partial<Choice> | undefined>;

/** The default of the sandbox. */
export const usualChoice = variantsSchema.parse({});

/** Every choice that differs from the default in a single point. */
export function singleVariants(): Array<Partial<Choice>> {
	return variationPointNames.flatMap((name) =>
		valuesOf(name)
			.slice(1)
			.map((value) => ({ [name]: value })),
	);
}

/** A choice with a random value for each variation point. @param seed a whole number; the same one gives the same choice */
export function randomVariants(seed: number): Choice {
	const below = numbers(seed);
	const pick = (name: VariationPointName) => valuesOf(name)[below(valuesOf(name).length)];
	return Object.fromEntries(variationPointNames.map((name) => [name, pick(name)])) as Choice;
}

/** `page-base=0 last-page=repeated`: what of a choice is not usual; `usual` if nothing is. */
export function describeVariants(variants: Partial<Choice>): string {
	const other = variationPointNames.filter(
		(name) => (variants[name] ?? usualChoice[name]) !== usualChoice[name],
	);
	return other.map((name) => `${name}=${variants[name]}`).join(' ') || 'usual';
}

/** Lines that list all variation points with their values. */
export function variantsHelp(): string[] {
	return Object.entries(variationPoints).flatMap(([point, [words, ...values]]) => [
		`  ${point.padEnd(22)} ${words}`,
		...values.map(named).map(({ name, words }) => `    ${name.padEnd(20)} ${words}`.trimEnd()),
	]);
}

/** Reads `page-base=0`. @throws Error that lists what there is */
export function readVariant(text: string): Partial<Choice> {
	const [name, value = ''] = text.split('=');
	if (!(name in variationPoints))
		throw new Error(`There is no variant ${name}. There are: ${variationPointNames.join(', ')}`);
	const values: readonly string[] = valuesOf(name as VariationPointName);
	if (!values.includes(value)) throw new Error(`${name} can be ${values.join(', ')}`);
	return { [name]: value };
}

/** A generator of random whole numbers below a limit; the same seed gives the same numbers (mulberry32). */
export function numbers(seed: number): (below: number) => number {
	let state = seed | 0;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}
