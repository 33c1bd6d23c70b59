/** The sandbox's controls, and what keeps the page up to date: whenever something has changed, what is shown is asked for again. */
import { useEffect, useState } from 'preact/hooks';

const listeners = new Set<() => void>();

/** Connects to the sandbox; the browser connects again by itself. */
export function connect(note: (isConnected: boolean) => void): void {
	const source = new EventSource('/_sandbox/events');
	const notify = () => listeners.forEach((listener) => listener());
	source.onmessage = notify;
	source.onopen = () => {
		note(true);
		notify();
	};
	source.onerror = () => {
		note(false);
		// The browser gives up if the response is no stream, e.g. while another program has the port.
		if (source.readyState === EventSource.CLOSED) setTimeout(() => connect(note), 3_000);
	};
}

/** A document of the sandbox, kept up to date. While another one is loading, the one before stays. */
export function useLive<T>(path: string): { data?: T; error?: string } {
	const [result, setResult] = useState<{ data?: T; error?: string }>({});
	useEffect(() => {
		let asked = 0;
		let shown = 0;
		const load = async () => {
			const turn = ++asked;
			const next = await request<T>(path).then(
				(data) => ({ data, error: undefined }),
				(error: Error) => ({ error: error.message }),
			);
			if (turn < shown) return;
			shown = turn;
			setResult((before) => ({ ...before, ...next }));
		};
		const listen = () => void load();
		listeners.add(listen);
		listen();
		return () => {
			shown = Infinity;
			listeners.delete(listen);
		};
	}, [path]);
	return result;
}

/** Writes as a customer. Gives the deliveries to webhooks that it has caused. @throws Error with a sentence for people */
export async function write(message: {
	from: string;
	text: string;
}): Promise<{ deliveries: string[] }> {
	const headers = { 'content-type': 'application/json' };
	return await request('/inbound', { method: 'POST', headers, body: JSON.stringify(message) });
}

async function request<T>(path: string, init?: RequestInit): Promise<T> {
	const signal = AbortSignal.timeout(10_000);
	const answer = await fetch(`/_sandbox${path}`, { ...init, signal }).catch(() => {
		throw new Error('The sandbox does not answer. Is it still running?');
	});
	const body = (await answer.json().catch(() => undefined)) as { error?: { message?: string } };
	if (answer.ok) return body as T;
	throw new Error(body?.error?.message ?? `The sandbox answered with status ${answer.status}.`);
}
