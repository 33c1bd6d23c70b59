import { parseArgs } from 'node:util';
import { UserError } from './userError';

type Kind = 'string' | 'boolean';

/** Values by the names of the flags; absent where the flag was not given. */
type Values<Flags extends Record<string, Kind>> = {
	[Name in keyof Flags]?: Flags[Name] extends 'boolean' ? boolean : string;
};

/**
 * Reads the command line, e.g. `--json FILE --quick`. `--help` shows the usage and ends the program.
 * @param flags their names, and whether they take a value (`string`) or not (`boolean`)
 * @param usage also shown when the command line is wrong
 * @throws UserError
 */
export function readFlags<const Flags extends Record<string, Kind>>(
	flags: Flags,
	usage: string,
): Values<Flags> {
	const kinds = Object.entries({ ...flags, help: 'boolean' } as Record<string, Kind>);
	const options = Object.fromEntries(kinds.map(([name, type]) => [name, { type }]));
	const values = parse(options, usage);
	if (!values.help) return values as Values<Flags>;
	console.log(usage);
	process.exit(0);
}

function parse(options: Record<string, { type: Kind }>, usage: string): Record<string, unknown> {
	try {
		return parseArgs({ options }).values;
	} catch (error) {
		throw new UserError(`${(error as Error).message}\n${usage}`);
	}
}

/**
 * A TCP port given on the command line.
 * @throws UserError naming the flag
 */
export function readPort(value: string | undefined, flag: string, otherwise: number): number {
	const port = Number(value ?? otherwise);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new UserError(`${flag} takes a port number from 1 to 65535, not "${value}".`);
}
