/** Which expressions give the same for all items of a run, so that n8n evaluates them once. */

/** A node by its name, written as one text, and what it gives without regard to the item. */
const node = String.raw`\$\(\s*(?:"[^"\\$]*"|'[^'\\$]*'|\x60[^\x60\\$]*\x60)\s*\)`;
const ofNode = String.raw`(?:${node}|\$input)\s*\??\.\s*(?:all|first|last)\s*\(`;
const parameters = String.raw`(?:${node}|\$input)\s*\??\.\s*params\b`;
/** Variables of n8n that belong to the run, and its functions, which depend on their arguments only. */
const names = String.raw`\$(?:env|vars|workflow|execution|runIndex|mode|nodeId|nodeVersion|today|jmesPath|jmespath|min|max|average|if|ifEmpty|not)\b`;
const ofRun = new RegExp([ofNode, parameters, names].join('|'), 'g');

/** What is left may depend on the item: all of n8n's other names, those that hide one, time, chance and escapes. */
const mayDiffer =
	/\$(?!\{)|\\[ux]|\b(?:this|self|window|global\w*|Date|now|local|utc)\b|random|uuid/i;

/**
 * Whether an expression gives the same for all items. If in doubt, it does not: then it is evaluated for each item, which only
 * takes time.
 *
 * @param code a text with expressions in braces, or the code of one
 */
export function isSameForRun(code: string): boolean {
	return !mayDiffer.test(code.replace(ofRun, ''));
}
