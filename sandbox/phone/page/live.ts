/** Calls the sandbox's controls, and keeps the page up to date: requests the data that is shown several times a second. */
import { useEffect, useState } from 'preact/hooks';

import type { Settings } from '../../options';

const refreshMs = 300;

/** A document of the sandbox, kept up to date. While another document is loading, the previous one stays. */
export function useLive<T>(path: string): { data?: T; error?: string } {
	const [result, setResult] = useState<{ data?: T; error?: string }>({});
	useEffect(() => {
		let isShown = true;
		const keepLoading = async () => {
			while (isShown) {
				const next = await request<T>(path).then(
					(data) => ({ data, error: undefined }),
					(error: Error) => ({ error: error.message }),
				);
				if (isShown) setResult((before) => ({ ...before, ...next }));
				await new Promise((resolve) => setTimeout(resolve, refreshMs));
			}
		};
		void keepLoading();
		return () => void (isShown = false);
	}, [path]);
	return result;
}

/** What a customer sends. */
export type Written = { text: string } | { isPicture: true };

/** Sends a message as a customer. Returns the deliveries to webhooks that it has caused. @throws Error with a sentence for the user */
export async function write(message: Written & { from: string }) {
	return await send<{ deliveries: unknown[] }>('POST', '/inbound', message);
}

/** Changes options of the sandbox. @throws Error with a sentence for the user */
export async function setOptions(options: Partial<Settings>): Promise<void> {
	await send('PATCH', '/options', options);
}

async function send<T>(method: string, path: string, body: object): Promise<T> {
	const headers = { 'content-type': 'application/json' };
	return await request<T>(path, { method, headers, body: JSON.stringify(body) });
}

async function request<T>(path: string, init?: RequestInit): Promise<T> {
	const answer = await fetch(`/_sandbox${path}`, init).catch(() => {
		throw new Error('The sandbox does not answer. Is it still running?');
	});
	if (answer.ok) return (await answer.json()) as T;
	throw new Error(`The sandbox answered with status ${answer.status}.`);
}
