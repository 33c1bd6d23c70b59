/** What is used all over the page: small parts, times as people read them, the sandbox's controls and live data. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type Words = { children?: ComponentChildren };

/** A sign beside words that say the same. */
export const Sign = ({ children }: Words) => <span aria-hidden="true">{children}</span>;

const ticks: Record<string, string> = {
	accepted: '◷',
	sent: '✓',
	delivered: '✓✓',
	read: '✓✓',
	failed: '!',
};
const colours: Record<string, string> = {
	read: 'text-primary-emphasis',
	failed: 'text-danger-emphasis',
};

/** How far a message of ours has come. */
export const Status = ({ status }: { status: string }) => (
	<span class={`status ${status} text-nowrap ${colours[status] ?? ''}`}>
		{status[0].toUpperCase() + status.slice(1)} <Sign>{ticks[status]}</Sign>
	</span>
);

/** A round field in one of six colours, with initials if there is a name. */
export function Avatar({ phone, name }: { phone: string; name?: string | null }) {
	const words = (name ?? '').split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
	const ends = words.length > 1 ? [words[0], words[words.length - 1]] : words;
	const initials = ends.map((word) => [...word][0].toUpperCase()).join('');
	const sum = [...phone.slice(1)].reduce((before, digit) => before * 7 + Number(digit), 0);
	const style = { background: `hsl(${(sum % 6) * 60} 45% 30%)` };
	return (
		<span class="avatar rounded-circle text-white fw-semibold" style={style} aria-hidden="true">
			{initials || '☺'}
		</span>
	);
}

/** Shown where there is nothing yet: what to do about it. */
export const Empty = ({ title, children }: Words & { title: string }) => (
	<div class="m-auto p-4 text-center">
		<strong>{title}</strong>
		<p class="text-body-secondary">{children}</p>
	</div>
);

export const Problem = ({ error }: { error?: string }) =>
	error ? (
		<p class="alert alert-danger m-2" role="alert">
			{error}
		</p>
	) : null;

/** A phone number in international format from what a person typed; undefined if it is not a phone number. */
export function phoneOf(typed: string): string | undefined {
	const phone = typed.replace(/[\s().\-/]/g, '').replace(/^00/, '+');
	return /^\+[1-9]\d{6,14}$/.test(phone) ? phone : undefined;
}

/** The time of a moment in ISO 8601, with seconds if it is `medium`. */
export const timeOf = (timestamp: string, timeStyle: 'short' | 'medium' = 'short') =>
	new Date(timestamp).toLocaleTimeString(undefined, { timeStyle });

/** The day of a moment in ISO 8601. */
export function dayOf(timestamp: string, dateStyle: 'medium' | 'full'): string {
	const date = new Date(timestamp);
	const isToday = date.toDateString() === new Date().toDateString();
	return isToday ? 'Today' : date.toLocaleDateString('en', { dateStyle });
}

const listeners = new Set<() => void>();

/** Connects to the sandbox; the browser connects again by itself. */
export function connect(note: (isConnected: boolean) => void): void {
	const source = new EventSource('/_sandbox/events');
	const tell = () => listeners.forEach((listener) => listener());
	source.onmessage = tell;
	source.onopen = () => {
		note(true);
		tell();
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
