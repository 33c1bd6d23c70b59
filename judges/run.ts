/** `npm run judges`: what third parties say about the contract, a line each; fails if one of them complains. */
import path from 'node:path';

import { PlaygroundError } from '../playground/playgroundError';
import { runMain } from '../playground/runMain';
import { askClients } from './clients';
import { askPrism } from './contract';
import { askRedocly } from './redocly';
import { askSpectral } from './spectral';
import type { Verdict } from './verdict';

const document = path.join(import.meta.dirname, '..', 'docs', 'openapi.json');
let complaining = 0;

function show({ judge, words, complaints }: Verdict): void {
	console.log(`${complaints.length === 0 ? 'passed' : 'FAILED'}  ${judge}: ${words}`);
	for (const complaint of complaints) console.log(`        ${complaint}`);
	if (complaints.length > 0) complaining += 1;
}

runMain(async () => {
	show(await askRedocly(document));
	show(await askSpectral(document));
	for (const verdict of await askClients(document)) show(verdict);
	show(await askPrism(document));
	if (complaining > 0) throw new PlaygroundError(`${complaining} of the judges complain.`);
});
