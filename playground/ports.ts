import net from 'node:net';
import { PlaygroundError } from './playgroundError';

/** A TCP port of 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
	const server = await listen(0);
	const { port } = server.address() as net.AddressInfo;
	await close(server);
	return port;
}

/**
 * Makes sure that a port can be listened on.
 * @param flag the command-line flag that chooses another port, for the message
 * @throws PlaygroundError naming the port, its purpose and the flag
 */
export async function assertPortIsFree(port: number, purpose: string, flag: string): Promise<void> {
	try {
		await close(await listen(port));
	} catch (error) {
		const reason =
			(error as NodeJS.ErrnoException).code === 'EADDRINUSE'
				? 'is taken by another program'
				: 'cannot be opened';
		throw new PlaygroundError(
			`Port ${port}, meant for ${purpose}, ${reason}: stop that program or choose another port with ${flag} <number>.`,
		);
	}
}

async function listen(port: number): Promise<net.Server> {
	return await new Promise((resolve, reject) => {
		const server = net.createServer();
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => resolve(server));
	});
}

async function close(server: net.Server): Promise<void> {
	await new Promise((resolve) => server.close(resolve));
}
