/** Spectral with its recommended rules for OpenAPI, none of them switched off. */
import { readFileSync } from 'node:fs';

import { Document, Spectral, type RulesetDefinition } from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers'; // CommonJS whose names Node.js does not see
import { oas } from '@stoplight/spectral-rulesets';

import type { Verdict } from './verdict';

/** @param document path of the OpenAPI document */
export async function askSpectral(document: string): Promise<Verdict> {
	const spectral = new Spectral();
	spectral.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] });
	const problems = await spectral.run(
		new Document(readFileSync(document, 'utf8'), parsers.Json, document),
	);
	const complaints = problems.map(
		({ code, message, path }) => `${code} at ${path.join('/')}: ${message}`,
	);
	return {
		judge: 'Spectral, spectral:oas recommended',
		words: `${complaints.length} errors, warnings and hints`,
		complaints,
	};
}
