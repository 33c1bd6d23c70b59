import { parseArgs, type ParseArgsConfig } from 'node:util';
import { PlaygroundError } from './playgroundError';

/**
 * Reads a command line whose flags all take a value, e.g. `--json FILE`.
 * @param usage shown with `--help` and when the command line is wrong
 * @throws PlaygroundError
 */
export function readFlags<N extends string>(
	names: readonly N[],
	usage: string,
): Partial<Record<N, string>> {
	const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean' } };
	for (const name of names) options[name] = { type: 'string' };
	const values = parse(options, usage);
	if (values.help === undefined) return values as Partial<Record<N, string>>;
	console.log(usage);
	process.exit(0);
}

function parse(
	options: NonNullable<ParseArgsConfig['options']>,
	usage: string,
): Record<string, unknown> {
	try {
		return parseArgs({ options }).values;
	} catch (error) {
		throw new PlaygroundError(`${(error as Error).message}\n${usage}`);
	}
}

/**
 * A TCP port given on the command line.
 * @throws PlaygroundError naming the flag
 */
export function readPort(value: string | undefined, flag: string, otherwise: number): number {
	const port = Number(value ?? otherwise);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new PlaygroundError(`${flag} takes a port number from 1 to 65535, not "${value}".`);
}
