/** Starts a sandbox and says where it is: `npx tsx sandbox/main.ts`. */
import { parseArgs } from 'node:util';
import { mapValues } from 'lodash';
import { ZodError } from 'zod';

import { startSandbox, type Sandbox, type SandboxOptions } from '.';
import { controlWords } from './controls';
import { describeVariants, randomVariants, readVariant, variantsHelp } from './variants';

type Flag = [words: string, option: keyof SandboxOptions, read?: (value: string) => unknown];

/** Flags with a value, by name; numbers unless they are read in another way. */
const flags: Record<string, Flag> = {
	port: ['TCP port; 0 takes a free one (4010)', 'port'],
	rate: ['requests per window and key; 0 for no limit (1000)', 'requestsPerWindow'],
	'window-ms': ['length of the window, ms (60000)', 'rateWindowMs'],
	'latency-ms': ['how long an answer takes, ms (0)', 'latencyMs'],
	'page-size-cap': ['greatest page size (100)', 'pageSizeCap'],
	contacts: ['number of sample contacts (5)', 'sampleContacts'],
	'receipts-ms': [
		'sent,delivered,read after the send, ms; - for never (100,400,1200)',
		'receiptDelaysMs',
		readReceiptDelays,
	],
	'read-rate': ['share of the messages that are read, 0 to 1 (1)', 'readRate'],
	sign: [
		'sign deliveries: standardWebhooks, timestamped, sha256 or hex, a colon and the secret',
		'signing',
		readSigning,
	],
	'approval-ms': ['until a new template is approved, ms (2000)', 'approvalDelayMs'],
};

/** Flags without a value. */
const switches: Record<string, Flag> = {
	'all-endpoints': ['list every endpoint in both API paths', 'allEndpointsOnBothPaths'],
	idempotency: ['give the first message again for a known Idempotency-Key', 'idempotency'],
};

function readReceiptDelays(value: string) {
	const [sent, delivered, read] = value
		.split(',')
		.map((delay) => (delay === '-' ? null : Number(delay)));
	return { sent, delivered, read };
}

function readSigning(value: string) {
	const [scheme, ...secret] = value.split(':');
	return { scheme, secret: secret.join(':') };
}

function help(): string {
	const lines = Object.entries({ ...flags, ...switches }).map(
		([flag, [words]]) => `  --${flag.padEnd(15)} ${words}`,
	);
	return [
		'Usage: npx tsx sandbox/main.ts [options]',
		...lines,
		'  --random-variants SEED  a value for each variation point of the specification, at random',
		'  --variant name=value   another service than the usual one; may be given several times:',
		...variantsHelp(),
	].join('\n');
}

function readOptions(): SandboxOptions | undefined {
	const { values } = parseArgs({
		options: {
			help: { type: 'boolean' },
			variant: { type: 'string', multiple: true },
			'random-variants': { type: 'string' },
			...mapValues(flags, () => ({ type: 'string' }) as const),
			...mapValues(switches, () => ({ type: 'boolean' }) as const),
		},
	});
	if (values.help) return undefined;
	const { variant = [], 'random-variants': seed, ...others } = values;
	const chosen = Object.entries(others).map(([name, value]) => {
		const [, option, read = Number] = switches[name] ?? flags[name];
		return [option, typeof value === 'string' ? read(value) : value];
	});
	const variants = {
		...(seed === undefined ? {} : randomVariants(Number(seed))),
		...variant.map(readVariant).reduce((all, one) => ({ ...all, ...one }), {}),
	};
	return { ...Object.fromEntries(chosen), variants } as SandboxOptions;
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

function flagOf(option: unknown): string {
	const flag = Object.keys(flags).find((name) => flags[name][1] === option);
	return flag ? `--${flag}` : String(option);
}

function wordsOf(error: unknown): string {
	if (error instanceof ZodError)
		return error.issues.map(({ path, message }) => `${flagOf(path[0])}: ${message}`).join('\n');
	return error instanceof Error ? error.message : String(error);
}

main().catch((error: unknown) => {
	process.stderr.write(`${wordsOf(error)}\n`);
	process.exitCode = 1;
});
