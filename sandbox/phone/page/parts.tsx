/** Small parts that the whole page uses, and times in a form for people. */
import type { ComponentChildren } from 'preact';

type Words = { children?: ComponentChildren };

/** A symbol next to words with the same meaning, so screen readers skip it. */
export const Sign = ({ children }: Words) => <span aria-hidden="true">{children}</span>;

const signs: Record<string, { tick: string; colour?: string }> = {
	accepted: { tick: '◷' },
	sent: { tick: '✓' },
	delivered: { tick: '✓✓' },
	read: { tick: '✓✓', colour: 'text-primary-emphasis' },
	failed: { tick: '!', colour: 'text-danger-emphasis' },
};

/** The status of a message of the business. */
export const Status = ({ status }: { status: string }) => (
	<span class={`status ${status} text-nowrap text-capitalize ${signs[status]?.colour ?? ''}`}>
		{status} <Sign>{signs[status]?.tick}</Sign>
	</span>
);

/** A round field in one of six colours, with initials if there is a name. */
export function Avatar({ phone, name }: { phone: string; name?: string | null }) {
	const initials = (name ?? '').match(/(?<!\S)[\p{L}\p{N}]/gu) ?? ['☺'];
	const ends = initials.length > 1 ? [initials[0], initials.at(-1)] : initials;
	const sum = [...phone.slice(1)].reduce((before, digit) => before * 7 + Number(digit), 0);
	const style = { background: `hsl(${(sum % 6) * 60} 45% 30%)` };
	const classes = 'avatar rounded-circle text-center text-white text-uppercase fw-semibold';
	return (
		<span class={classes} style={style} aria-hidden="true">
			{ends.join('')}
		</span>
	);
}

/** Shown where there is no data yet: says what the user can do. */
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

/** A phone number in international format, from what the user typed; undefined if this is not a phone number. */
export function phoneOf(typed: string): string | undefined {
	const phone = typed.replace(/[\s().\-/]/g, '').replace(/^00/, '+');
	return /^\+[1-9]\d{6,14}$/.test(phone) ? phone : undefined;
}

/** The time of day of an ISO 8601 timestamp. */
export const timeOf = (timestamp: string) =>
	new Date(timestamp).toLocaleTimeString(undefined, { timeStyle: 'short' });

/** The day of an ISO 8601 timestamp. */
export function dayOf(timestamp: string, dateStyle: 'medium' | 'full'): string {
	const date = new Date(timestamp);
	const isToday = date.toDateString() === new Date().toDateString();
	return isToday ? 'Today' : date.toLocaleDateString('en', { dateStyle });
}
