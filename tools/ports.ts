import getPort from 'get-port';
import { UserError } from './userError';

const host = '127.0.0.1';

/** A TCP port of 127.0.0.1 that nobody listens on; another one at each call. */
export async function freePort(): Promise<number> {
	return await getPort({ host });
}

/**
 * Makes sure that a port can be listened on.
 * @param flag the command-line flag that chooses another port, for the message
 * @throws UserError naming the port, its purpose and the flag
 */
export async function assertPortIsFree(port: number, purpose: string, flag: string): Promise<void> {
	if ((await getPort({ host, port })) === port) return;
	throw new UserError(
		`Port ${port}, meant for ${purpose}, is taken by another program: stop that program or choose another port with ${flag} <number>.`,
	);
}
