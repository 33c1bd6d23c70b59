/** Starts a sandbox and says where it is: `npx tsx sandbox/main.ts`. */
import { parseArgs } from 'node:util';
import { camelCase, kebabCase, mapKeys, mapValues, omit } from 'lodash';
import { ZodError } from 'zod';

import { startSandbox, type Sandbox, type SandboxOptions } from '.';
import { controlWords } from './controls';
import { optionsSchema } from './options';
import { describeVariants, readVariant, variantsHelp } from './variants';

/** Every option is a flag, e.g. `latencyMs` is `--latency-ms`; `variants` are given one by one. */
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
		...variantsHelp(),
	].join('\n');
}

function readOptions(): SandboxOptions | undefined {
	const { values } = parseArgs({
		options: {
			help: { type: 'boolean' },
			variant: { type: 'string', multiple: true },
			...mapValues(flags, () => ({ type: 'string' }) as const),
		},
	});
	if (values.help) return undefined;
	const { variant = [], ...others } = values;
	const chosen = mapValues(
		mapKeys(others, (_, flag) => camelCase(flag)),
		readValue,
	);
	return { ...chosen, variants: Object.assign({}, ...variant.map(readVariant)) as object };
}

/** Other values than JSON stay as they are; the option's schema refuses them with an error that names the flag. */
function readValue(value: unknown): unknown {
	try {
		return JSON.parse(String(value));
	} catch {
		return value;
	}
}

function describe({ url, key, state }: Sandbox): string {
	const controls = Object.entries(controlWords).map(
		([route, words]) => `  ${route.padEnd(38)} ${words}`,
	);
	return [
		`Sandbox:        ${url}`,
		`Phone:          ${url}/ (open it in a browser)`,
		`Base URLs:      ${url} (dedicated host), ${url}/api (shared host)`,
		`API key:        ${key}`,
		`OpenAPI:        ${url}/openapi.json`,
		`Variants:       ${describeVariants(state.settings.variants)}`,
		'Controls:',
		...controls,
	].join('\n');
}

async function main(): Promise<void> {
	const options = readOptions();
	if (!options) {
		process.stdout.write(`${help()}\n`);
		return;
	}
	const sandbox = await startSandbox(options);
	process.stdout.write(`${describe(sandbox)}\n`);
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.once(signal, () => void sandbox.close());
}

function wordsOf(error: unknown): string {
	if (error instanceof ZodError)
		return error.issues
			.map(({ path, message }) => `--${kebabCase(String(path[0]))}: ${message}`)
			.join('\n');
	return error instanceof Error ? error.message : String(error);
}

main().catch((error: unknown) => {
	process.stderr.write(`${wordsOf(error)}\n`);
	process.exitCode = 1;
});
