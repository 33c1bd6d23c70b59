/** `npx tsx sandbox/main.ts`: starts a sandbox, and prints its address. */
import { parseArgs } from 'node:util';
import { camelCase, kebabCase, mapKeys, mapValues, omit } from 'lodash';
import { ZodError } from 'zod';

import { startSandbox } from '.';
import { controlWords } from './controls';
import { optionsSchema } from './options';
import { describeVariants, valuesOf, variationPointNames } from './variants';

/** Each option has a flag: `latencyMs` is `--latency-ms`. Each variation point of `variants` has a flag of its own. */
const flags = mapKeys(omit(optionsSchema.shape, 'variants'), (_, name) => kebabCase(name));

function help(): string {
	const lines = Object.entries(flags).map(([flag, schema]) => {
		const usual = JSON.stringify(schema.parse(undefined));
		return `  --${flag.padEnd(24)} ${schema.description} (${usual})`;
	});
	return [
		'Usage: npx tsx sandbox/main.ts [options]; values are written as JSON',
		...lines,
		'  --variant name=value       another service than the usual one; may be given several times:',
		...variationPointNames.map((name) => `    ${name}: ${valuesOf(name).join(', ')}`),
	].join('\n');
}

/** Reads the value of a flag as JSON. Other values stay text; the option's schema refuses them with an error that names the flag. */
function readValue(value: unknown): unknown {
	try {
		return JSON.parse(String(value));
	} catch {
		return value;
	}
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			help: { type: 'boolean' },
			variant: { type: 'string', multiple: true, default: [] },
			...mapValues(flags, () => ({ type: 'string' }) as const),
		},
	});
	if (values.help) return console.log(help());
	const { variant = [], ...others } = values;
	const options = mapKeys(mapValues(others, readValue), (_, flag) => camelCase(flag));
	const pairs = variant.map((text) => text.split('=') as [string, string]);
	const variants = Object.fromEntries<string>(pairs) as object;
	const { url, key, state, close } = await startSandbox({ ...options, variants });
	console.log(`Sandbox:        ${url}
Phone:          ${url}/ (open it in a browser)
Base URLs:      ${url} (dedicated host), ${url}/api (shared host)
API key:        ${key}
OpenAPI:        ${url}/openapi.json
Variants:       ${describeVariants(state.settings.variants)}
Controls:`);
	for (const [route, words] of Object.entries(controlWords))
		console.log(`  ${route.padEnd(38)} ${words}`);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
}

/** Wrong options by their flags, e.g. `--port: …` or `--variants.page-base: …`. */
function wordsOf(error: unknown): string {
	if (!(error instanceof ZodError)) return error instanceof Error ? error.message : String(error);
	const lines = error.issues.map(({ path: [option, ...inner], message }) =>
		[`--${[kebabCase(String(option)), ...inner].join('.')}`, message].join(': '),
	);
	return lines.join('\n');
}

main().catch((error: unknown) => {
	console.error(wordsOf(error));
	process.exitCode = 1;
});
