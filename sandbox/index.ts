/** The complete service of the specification, in memory, for one machine. */
import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';

import { demoKey, optionsSchema, type SandboxOptions } from './options';
import { buildServer } from './server';
import { State, type Changes } from './state';
import { withVariants } from './variants/adapter';

export type { SandboxOptions } from './options';
export type { Changes, State } from './state';

const host = '127.0.0.1';

/** A running sandbox. */
export interface Sandbox {
	/** e.g. `http://127.0.0.1:4010`; the API paths' base addresses are this and this with `/api`. */
	url: string;
	port: number;
	/** The ready-made API key. */
	key: string;
	/** The current state of the sandbox, for reading; a reset replaces it. */
	readonly state: State;
	/** Reports what happens, also after resets. */
	changes: EventEmitter<Changes>;
	/** Back to the start: nothing remembered, nothing under way. */
	reset: () => void;
	/** Ends deliveries and receipts, breaks the connections and frees the port. */
	close: () => Promise<void>;
}

/** Starts a sandbox on 127.0.0.1, by default on port 4010. @throws Error if the port is taken; ZodError if an option is wrong */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const settings = withVariants(optionsSchema.parse(options));
	const changes = new EventEmitter<Changes>();
	changes.setMaxListeners(0);
	let state = new State(settings, changes);
	const reset = () => {
		state.close();
		state = new State(settings, changes);
		changes.emit('reset');
	};
	const server = buildServer(settings, () => state, changes, reset);
	const close = async () => {
		state.close();
		await server.close();
	};
	try {
		await server.listen({ host, port: settings.port });
	} catch (error) {
		await close();
		throw listenError(error, settings.port);
	}
	const { port } = server.server.address() as AddressInfo;
	const fixed = { url: `http://${host}:${port}`, port, key: demoKey, changes, reset, close };
	return {
		...fixed,
		get state() {
			return state;
		},
	};
}

function listenError(error: unknown, port: number): unknown {
	const { code } = error as NodeJS.ErrnoException;
	return code === 'EADDRINUSE'
		? new Error(`Port ${port} is taken. Choose another one (0 for any that is free).`)
		: error;
}
