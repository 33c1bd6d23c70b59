/** Redocly's linter with its recommended rules, none of them switched off. */
import { createConfig, lint } from '@redocly/openapi-core';

import type { Verdict } from './verdict';

/** @param document path of the OpenAPI document */
export async function askRedocly(document: string): Promise<Verdict> {
	const config = await createConfig({ extends: ['recommended'] });
	const problems = await lint({ ref: document, config });
	const complaints = problems.map(
		({ severity, ruleId, message, location: [place] }) =>
			`${severity} ${ruleId} at ${place?.pointer ?? '#'}: ${message}`,
	);
	return {
		judge: 'Redocly, recommended rules',
		words: `${complaints.length} errors and warnings`,
		complaints,
	};
}
