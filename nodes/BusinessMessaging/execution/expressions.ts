/**
 * The values of the node's fields for an item. What is refused, and why: docs/adr/0011-one-run.md. n8n takes up to a
 * millisecond for an evaluation, and longer with many rows, so there are as few evaluations as possible.
 */
import { randomUUID } from 'crypto';
import { compact, get, has, isEmpty, mapValues, memoize, partition, truncate, zip } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { isRecord, textOrJson } from '../jsonValues';
import type { ParameterField } from '../operations/fields';
import { isBlank, isUnreadable, unreadable } from '../operations/readText';
import { pdfField } from '../operations/sending/templateVariables';
import { InputError } from '../transport/errors';
import { type ShownField, shownAt } from './fieldLabels';
import { insteadOf, isMissingWord, isWord, missingWordIn } from './missingWords';
import { isSameForRun } from './runExpressions';
import { isToolParameters, isToolReview, toLines, withAnswers } from './toolReview';

/** The path to a column and nothing else, e.g. `$json.name` or `$json["First Name"].x`. */
const column = /^\s*\$json((?:\.[A-Za-z_]\w*|\["[^"\\]+"\]|\['[^'\\]+'\])+)\s*$/;
const columnKey = /\.\w+|\["[^"]+"\]|\['[^']+'\]/g;
/** Fields that may be empty. In every other field, an expression without a value is refused. */
const mayBeMissing = ['name', 'options.personName'];
/** Fields whose text only programs read. In all other fields, a list or a boolean inside a text is refused. */
const forPrograms = ['audienceRules', 'campaign', 'headerDocumentUrl', 'queryParameters', 'url'];
/** Fields that may contain JSON. There, `null` is a value. */
const forJson = ({ type, name }: ParameterField) => type === 'json' || name === 'additionalFields';
/** What n8n shows for a record or an invalid date inside a text. */
const notForPeople = /\[object [\w ]+\]|Invalid DateTime|^Invalid Date$/;
/** How n8n shows a missing value, a boolean, an infinite number, a list or a function inside a text. A text may look the same. */
const mayMislead = /^$|^\s*(?:true|false|-?Infinity)\s*$|,|\{|=>/;
/** The error for a function, in each of n8n's two engines for expressions. */
const functionError = /this is a function|could not be cloned/;
/** An expression in a text that n8n does not evaluate. */
const unevaluated = /\{\{\s*\$(json\b|input\b|now\b|\().*?\}\}/;
/** How much of an expression an error shows, characters. */
const maxShown = 100;
/** Separates expressions that are evaluated together. No value contains it. */
const separator = randomUUID();

/** An expression's access to all rows of a node. */
const allRows = /(?:\$\(\s*(?:"[^"]*"|'[^']*'|`[^`]*`)\s*\)|\$input)\s*\??\.\s*all\(\s*\)/g;

/** An expression's access to one row of a node. */
const oneRow =
	/(\$\(\s*(?:"[^"]*"|'[^']*'|`[^`]*`)\s*\))\s*\??\.\s*(?:item\b|(?:first|last|itemMatching)\s*\()/g;

type Row = { json?: IDataObject } | undefined;
type Plain = string | number | boolean;

interface Evaluation {
	value?: unknown;
	error?: Error & { description?: string };
}

/** A field's text, split at its expressions. */
interface Parsed {
	/** The texts before, between and after the expressions: one more than there are expressions. */
	texts: string[];
	/** The expressions without their braces. */
	codes: string[];
	/** Whether the text is a single expression. Its value may have any type, and is not converted to text. */
	isWhole: boolean;
	/** Whether each expression can be evaluated alone: n8n treats backslashes and unclosed braces specially. */
	isJoined: boolean;
}

/** Reads the fields of the node, item by item. */
export class FieldReader {
	private readonly parameters: INodeParameters;
	private readonly items: IDataObject[];
	private readonly parse = memoize(parse);
	private readonly isSameForRun = memoize(isSameForRun);
	private readonly isToolReview: boolean;
	/** The results of expressions that are the same for all items: also the same objects, as coerce.ts expects. */
	private readonly ofRun = new Map<string, Evaluation>();

	constructor(private readonly context: IExecuteFunctions) {
		this.parameters = context.getNode().parameters;
		this.isToolReview = isToolReview(context.getNode());
		this.items = context.getInputData().map(({ json }) => json);
	}

	/** Whether the field is shown; hidden fields have their default. */
	isShown({ name }: ParameterField): boolean {
		return name in this.parameters;
	}

	/** @throws InputError that names field and expression, if one fails, has no value, or has one that people cannot read */
	read(field: ParameterField, index: number): unknown {
		const saved = this.parameters[field.name] ?? field.default;
		return mapTexts(saved, field.name, (text, path) => {
			if (!text.startsWith('=')) return checkFixed(text, field, path);
			const value = this.evaluate(text.slice(1), shownAt(field, path), path, index);
			return this.isToolReview && typeof value === 'string' ? withAnswers(value, text) : value;
		});
	}

	/** Whether an expression gives the value of a field, or what is chosen in it. */
	isExpression(name: string): boolean {
		const saved = this.parameters[name];
		const value: unknown = isRecord(saved) ? get(saved, 'value') : saved;
		return typeof value === 'string' && value.startsWith('=');
	}

	/** The rows that the expression in a field goes through, e.g. with `$('Opt-outs').all()`, without empty ones. */
	rowsOf(path: string, index: number): IDataObject[] {
		const codes = textOrJson(get(this.parameters, path)).match(allRows) ?? [];
		const items = codes.flatMap((code) => this.ask(`{{ ${code} }}`, index).value as Row[]);
		return compact(items.map((row) => row?.json)).filter((json) => !isEmpty(json));
	}

	/** The node of which the expression in a field uses one row, if it has several. */
	oneOfRows(path: string, index: number): { node: string; count: number } | undefined {
		for (const [, code] of textOrJson(get(this.parameters, path)).matchAll(oneRow)) {
			const count = this.ask(`{{ ${code}.all().length }}`, index).value;
			if (typeof count === 'number' && count > 1) return { node: code.slice(3, -2), count };
		}
		return undefined;
	}

	private evaluate(text: string, field: ShownField, path: string, index: number): unknown {
		const { texts, codes, isWhole, isJoined } = this.parse(text);
		if (isWhole) return this.readWhole(codes[0], field, path, index);
		const parts = this.readParts(codes, field, index);
		const join = (): Evaluation => ({ value: zip(texts, parts).flat().join('') });
		const isOfRun = codes.every((code) => this.isSameForRun(code));
		const joined = isJoined && isOfRun ? this.once(text, join) : join();
		const { value, error } = isJoined ? joined : this.ask(text, index);
		const first = codes[0] ?? text;
		if (error) throw failed(first, field, error);
		if (value === undefined || value === null)
			throw noValue(first, field, { json: this.items[index] });
		return value;
	}

	private readWhole(code: string, field: ShownField, path: string, index: number): unknown {
		const known = this.known(code, index);
		if (known !== undefined && !isMissing(known, code, field)) return known;
		const { value, error } = this.ask(`{{${code}}}`, index);
		if (error) throw failed(code, field, error);
		const isGiven = !isMissing(value, code, field);
		if (isGiven && typeof value === 'string') this.checkReadable(value, code, field, index);
		if (isGiven) return value;
		if (!field.required && mayBeMissing.includes(path)) return undefined;
		throw noValue(code, field, { value, json: this.items[index], isWhole: true });
	}

	private readParts(codes: string[], field: ShownField, index: number): Plain[] {
		const known = new Map<string, Plain | undefined>(
			codes.map((code) => [code, this.known(code, index)]),
		);
		const open = codes.filter((code) => known.get(code) === undefined);
		const [ofRun, ofItem] = partition(open, (code) => this.isSameForRun(code));
		for (const group of [...ofRun.map((code) => [code]), ofItem])
			for (const [code, part] of this.askTogether(group, field, index)) known.set(code, part);
		return codes.map((code) => {
			const part = known.get(code) ?? '';
			const text = String(part);
			if (mayMislead.test(text) || isBlank(text) || isWord(text))
				this.checkValue(code, field, index);
			return part;
		});
	}

	/** @throws InputError for an expression inside a text whose value is missing, a function, a list or a boolean */
	private checkValue(code: string, field: ShownField, index: number): void {
		const known = this.known(code, index);
		const { value = known, error } = known === undefined ? this.ask(`{{${code}}}`, index) : {};
		if (error) throw failed(code, field, error);
		if (isMissing(value, code, field))
			throw noValue(code, field, { value, json: this.items[index] });
		if (isUnreadable(value) && !forPrograms.includes(field.name))
			throw unreadable(value, `${show(code)} in '${field.displayName}'`);
	}

	/** The value of a column; for a tool call that is reviewed, also the parameters of the call as lines of text. */
	private known(code: string, index: number): Plain | undefined {
		if (!this.isToolReview || !isToolParameters(code)) return columnOf(this.items[index], code);
		return toLines(this.ask(`{{${code}}}`, index).value);
	}

	private askTogether(
		codes: string[],
		field: ParameterField,
		index: number,
	): Array<[string, string]> {
		if (codes.length === 0) return [];
		const marked = (code: string) => `${separator}{{${code}}}`;
		const { value, error } = this.ask(codes.map(marked).join(''), index);
		if (typeof value !== 'string') {
			const isFailing = (code: string) => typeof this.ask(marked(code), index).value !== 'string';
			const failing = codes.find(isFailing) ?? codes[0];
			if (error) throw failed(failing, field, error);
			// n8n gives nothing for a value that cannot become a text, e.g. a record with a field `toString`.
			throw unreadable({}, `${show(failing)} in '${field.displayName}'`);
		}
		const parts = value.split(separator).slice(1);
		return codes.map((code, place) => {
			this.checkReadable(parts[place], code, field, index);
			return [code, parts[place]];
		});
	}

	/** @throws InputError if an evaluated text contains a record, an invalid date, or a word for a missing value */
	private checkReadable(text: string, code: string, field: ParameterField, index: number): void {
		const [wrong] = notForPeople.exec(text) ?? [];
		if (wrong && !code.includes(wrong)) throw notReadable(code, field, wrong);
		const missing = missingWordIn(text, code, this.items[index]);
		// The word alone may be in the data. `checkValue` decides.
		if (missing && !forJson(field) && text.trim() !== missing)
			throw madeOfMissing(code, field, missing);
	}

	private ask(text: string, index: number): Evaluation {
		const evaluate = () => {
			try {
				return { value: this.context.evaluateExpression(text, index) };
			} catch (error) {
				return { error: error as Error };
			}
		};
		return this.isSameForRun(text) ? this.once(text, evaluate) : evaluate();
	}

	private once(text: string, evaluate: () => Evaluation): Evaluation {
		const known = this.ofRun.get(text) ?? evaluate();
		this.ofRun.set(text, known);
		return known;
	}
}

/** Replaces each text in a value, at any depth. Its path consists of the keys that lead to it, e.g. `options.variant`. */
function mapTexts(
	value: unknown,
	path: string,
	replace: (text: string, path: string) => unknown,
): unknown {
	if (typeof value === 'string') return replace(value, path);
	if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, path, replace));
	return isRecord(value)
		? mapValues(value, (one, key) => mapTexts(one, `${path}.${key}`, replace))
		: value;
}

/** Splits like n8n: `{{` begins an expression unless a backslash precedes it, the next `}}` ends it. */
function parse(text: string): Parsed {
	const [first, ...others] = text.split(/(?<!\\)\{\{/);
	const parts = others.map((part) => part.split('}}'));
	const codes = parts.map(([code]) => code);
	const texts = [first, ...parts.map(([, ...rest]) => rest.join('}}'))];
	const braced = codes.map((code) => `{{${code}}}`);
	const isJoined = !text.includes('\\') && zip(texts, braced).flat().join('') === text;
	return { texts, codes, isWhole: text === braced[0], isJoined };
}

/** The keys that lead to a column; none for any other expression. */
function keysOf(code: string): string[] {
	const [, path] = column.exec(code) ?? [];
	const keys = path?.match(columnKey) ?? [];
	return keys.map((key) => key.replace(/^\.|^\[["']|["']\]$/g, ''));
}

/** The value of a column, if it is a text, a finite number or a boolean. */
function columnOf(json: IDataObject, code: string): Plain | undefined {
	const keys = keysOf(code);
	const value = keys.reduce<unknown>(
		(record, key) => (isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined),
		keys.length > 0 ? json : undefined,
	);
	const isPlain = ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
	return isPlain ? (value as Plain) : undefined;
}

/** @throws InputError for an expression without the `=`, as in workflows that were not written in the editor */
function checkFixed(text: string, field: ParameterField, path: string): string {
	const [code] = unevaluated.exec(text) ?? [];
	if (code === undefined) return text;
	const { displayName, inner } = shownAt(field, path);
	throw new InputError(
		`'${displayName}' shows ${truncate(code, { length: maxShown })} instead of its value`,
		inner.noDataExpression
			? 'The field takes no expressions. Write {{1}} for what differs from message to message.'
			: "Switch the field from 'Fixed' to 'Expression'.",
	);
}

/** Calculations without a result give NaN or Infinity. A sheet may contain a word for a missing value, e.g. `#N/A`. */
function isMissing(value: unknown, code: string, field: ParameterField): boolean {
	if (isMissingWord(value, code)) return !forJson(field);
	const isNumber = typeof value === 'number';
	return value === undefined || value === null || (isNumber && !Number.isFinite(value));
}

function notReadable(code: string, { displayName }: ParameterField, wrong: string): InputError {
	return new InputError(
		`${show(code)} in '${displayName}' gives "${wrong}"`,
		'Choose one field of the record. If the value is a date, correct the date.',
	);
}

function madeOfMissing(
	code: string,
	{ displayName, type }: ParameterField,
	missing: string,
): InputError {
	const instead =
		type === 'resourceMapper'
			? `another text instead, e.g. {{ "Dear " + ($json.name || "customer") }}`
			: `an empty text instead, e.g. {{ "Hello " + ($json.name ?? "") }}`;
	return new InputError(
		`${show(code)} in '${displayName}' gives "${missing}" for a missing value`,
		`Check the names of the fields in the input. If a value may be missing, use ${instead}. If this word is the correct value, put only the field into the braces. Put the other text outside, e.g. Hello {{ $json.name }}.`,
	);
}

function failed(
	code: string,
	{ displayName }: ParameterField,
	error: NonNullable<Evaluation['error']>,
): InputError {
	if (functionError.test(error.message))
		return new InputError(
			`${show(code)} in '${displayName}' is a function, not a value`,
			'Add () after its name, e.g. {{ $json.name.trim() }}.',
		);
	// n8n's descriptions end with or without a period.
	const why = error.description?.replace(/(?<=[^.])$/, '.') ?? '';
	return new InputError(
		`The expression ${show(code)} in '${displayName}' failed: ${error.message}`,
		`${why} Correct the expression in the node.`.trim(),
	);
}

function noValue(
	code: string,
	{ displayName, required, type, inner }: ShownField,
	{ value, json, isWhole = false }: { value?: unknown; json?: IDataObject; isWhole?: boolean },
): InputError {
	if (code.includes('$fromAI('))
		return new InputError(
			`The AI model gave no value for '${displayName}'`,
			'Say in the description of the parameter or of the tool what the model must fill in.',
		);
	const keys = keysOf(code);
	const inData =
		keys.length > 0 && has(json, keys)
			? 'The field is empty in this item. Fill it in in your data.'
			: 'Check the name of the field in the input.';
	const check = typeof value === 'string' ? 'Correct the value in your data.' : inData;
	return new InputError(
		`${show(code)} in '${displayName}' has no value${insteadOf(value)}`,
		compact([
			check,
			(type === 'resourceMapper' || !required || !isWhole) && adviceFor({ type, inner }, code),
		]).join(' '),
	);
}

/** How to allow a missing value: nobody may leave out a variable of a template. */
function adviceFor({ type, inner }: Pick<ShownField, 'type' | 'inner'>, code: string): string {
	const [, path = '.name'] = column.exec(code) ?? [];
	const [first, ...others] = path.match(columnKey) ?? [];
	const value = `$json${first}${others.map((key) => key.replace(/^\.?/, '?.')).join('')}`;
	if (type === 'resourceMapper' && inner.name !== pdfField)
		return `A template needs all of its values. If this value may be missing, use another one instead, e.g. {{ ${value} || 'customer' }}.`;
	if (['number', 'boolean', 'options'].includes(inner.type ?? ''))
		return `If the value may be missing, use another one instead, e.g. {{ ${value} ?? ${JSON.stringify(inner.default)} }}.`;
	return `If the value may be missing, use an empty text instead, e.g. {{ ${value} ?? '' }}.`;
}

function show(code: string): string {
	return truncate(`{{${code}}}`, { length: maxShown });
}
