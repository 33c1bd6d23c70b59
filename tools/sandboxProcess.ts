/** The one launcher of a sandbox in a process of its own, so that it does not share a core with what measures. */
import { once } from 'node:events';
import path from 'node:path';
import { demoKey } from '../sandbox/options';
import { spawnTree, stopTree } from './processes';
import type { Choice } from '../sandbox/variants';
import { noLimit, type Rate, SandboxClient } from './sandboxClient';
import { UserError } from './userError';

const START_LIMIT = 60_000;
const STOP_LIMIT = 5_000;

/** How it behaves. */
export interface SandboxSettings {
	/** No limit by default. */
	rate?: Rate;
	/** How long every answer takes, ms; 0 by default. */
	latencyMs?: number;
	/** Sample contacts; none by default. */
	contacts?: number;
	/** Another service than the usual one. */
	variants?: Partial<Choice>;
}

/** A running sandbox that sends no receipts; whoever starts it stops it. */
export class SandboxProcess extends SandboxClient {
	private constructor(
		url: string,
		/** Ends it. */
		readonly stop: () => Promise<void>,
	) {
		super(url, demoKey);
	}

	/** @throws UserError when it does not start within a minute */
	static async start(settings: SandboxSettings = {}): Promise<SandboxProcess> {
		const { rate = noLimit, latencyMs = 0, contacts = 0, variants = {} } = settings;
		const args = [
			'--port=0',
			`--rate=${rate === noLimit ? 0 : rate.requests}`,
			`--window-ms=${rate.windowMs}`,
			`--latency-ms=${latencyMs}`,
			'--receipts-ms=-,-,-',
			`--contacts=${contacts}`,
			...Object.entries(variants).map(([name, value]) => `--variant=${name}=${value}`),
		];
		const main = path.join(__dirname, '..', 'sandbox', 'main.ts');
		const child = spawnTree(process.execPath, ['--import', 'tsx', main, ...args], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const stop = async () => await stopTree(child, STOP_LIMIT);
		const output = child.stdout
			? await once(child.stdout, 'data', { signal: AbortSignal.timeout(START_LIMIT) }).catch(String)
			: '';
		const url = /http:\/\/\S+/.exec(String(output))?.[0];
		if (url) return new SandboxProcess(url, stop);
		await stop();
		throw new UserError(`The sandbox did not start: ${String(output)}`);
	}
}
