/** Finds expressions that give the same result for all items of a run, so that n8n evaluates them once. */

/** A node by its name, written as one text, and its output as far as it does not depend on the item. */
const node = String.raw`\$\(\s*(?:"[^"\\$]*"|'[^'\\$]*'|\x60[^\x60\\$]*\x60)\s*\)`;
const ofNode = String.raw`(?:${node}|\$input)\s*\??\.\s*(?:all|first|last)\s*\(`;
const parameters = String.raw`(?:${node}|\$input)\s*\??\.\s*params\b`;
/** n8n's variables that belong to the run, and its functions, whose results depend only on their arguments. */
const names = String.raw`\$(?:env|vars|workflow|execution|runIndex|mode|nodeId|nodeVersion|today|jmesPath|jmespath|min|max|average|if|ifEmpty|not)\b`;
const ofRun = new RegExp([ofNode, parameters, names].join('|'), 'g');

/** What may depend on the item: n8n's other names, access to them as with `this`, time, randomness and escapes. */
const mayDiffer =
	/\$(?!\{)|\\[ux]|\b(?:this|self|window|global\w*|Date|now|local|utc)\b|random|uuid/i;

/** Whether an expression, or a text with some, is the same for all items. If in doubt, no: that only takes time. */
export function isSameForRun(code: string): boolean {
	return !mayDiffer.test(code.replace(ofRun, ''));
}
