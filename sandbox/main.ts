/** Starts a sandbox and says where it is: `npx tsx sandbox/main.ts`. */
import { parseArgs } from 'node:util';
import { ZodError } from 'zod';

import { startSandbox, type Sandbox, type SandboxOptions } from '.';
import { controlWords } from './controls';
import { describeVariants, randomVariants, readVariant, variantsHelp } from './variants';

/** Flags with a value, by name. */
const flags: Record<
	string,
	{ words: string; option: keyof SandboxOptions; read?: (value: string) => unknown }
> = {
	port: { words: 'TCP port; 0 takes a free one (4010)', option: 'port' },
	rate: {
		words: 'requests per window and key; 0 for no limit (1000)',
		option: 'requestsPerWindow',
	},
	'window-ms': { words: 'length of the window, ms (60000)', option: 'rateWindowMs' },
	'latency-ms': { words: 'how long an answer takes, ms (0)', option: 'latencyMs' },
	'page-size-cap': { words: 'greatest page size (100)', option: 'pageSizeCap' },
	contacts: { words: 'number of sample contacts (5)', option: 'sampleContacts' },
	'receipts-ms': {
		words: 'sent,delivered,read after the send, ms; - for never (100,400,1200)',
		option: 'receiptDelaysMs',
		read: readReceiptDelays,
	},
	'read-rate': { words: 'share of the messages that are read, 0 to 1 (1)', option: 'readRate' },
	sign: {
		words:
			'sign deliveries: standardWebhooks, timestamped, sha256 or hex, then a colon and the secret',
		option: 'signing',
		read: readSigning,
	},
	'approval-ms': {
		words: 'until a new template is approved, ms (2000)',
		option: 'approvalDelayMs',
	},
};

/** Flags without a value. */
const switches: Record<string, { words: string; option: keyof SandboxOptions }> = {
	'all-endpoints': {
		words: 'list every endpoint in both API paths',
		option: 'allEndpointsOnBothPaths',
	},
	idempotency: { words: 'heed the Idempotency-Key header', option: 'idempotency' },
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
		([flag, { words }]) => `  --${flag.padEnd(15)} ${words}`,
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
			...Object.fromEntries(Object.keys(flags).map((flag) => [flag, { type: 'string' } as const])),
			...Object.fromEntries(
				Object.keys(switches).map((flag) => [flag, { type: 'boolean' } as const]),
			),
		},
	});
	if (values.help) return undefined;
	const { variant = [], 'random-variants': seed, ...others } = values;
	const chosen = Object.entries(others).map(([name, value]) => {
		const { option, read = Number } = { ...switches[name], ...flags[name] };
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
	const flag = Object.keys(flags).find((name) => flags[name]?.option === option);
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
