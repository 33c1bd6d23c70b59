/** Small parts that are used all over the page, and times as people read them. */
import htm from 'htm';
import { h } from 'preact';

import { most, step } from './live.js';

/**
 * Preact without a build step: markup as tagged templates, in which every value is escaped.
 *
 * @type {(strings: TemplateStringsArray, ...values: unknown[]) => import('preact').VNode}
 */
// @ts-expect-error htm also knows templates with several roots, which are not used here
export const html = htm.bind(h);

/** A sign beside words that say the same. @param {{ children?: unknown }} props */
export const Sign = ({ children }) => html`<span aria-hidden="true">${children}</span>`;

/** @type {Record<string, string>} */
const ticks = { accepted: '◷', sent: '✓', delivered: '✓✓', read: '✓✓', failed: '!' };

/** How far a message of ours has come. @param {{ status: string }} props */
export function Status({ status }) {
	const colour = { read: 'text-primary-emphasis', failed: 'text-danger-emphasis' }[status] ?? '';
	return html`
		<span class=${`status ${status} text-nowrap ${colour}`}>
			${status[0].toUpperCase() + status.slice(1)} <${Sign}>${ticks[status]}<//>
		</span>
	`;
}

/** @param {{ phone: string, name?: string | null }} props */
export function Avatar({ phone, name }) {
	const words = (name ?? '').split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
	const initials = [words[0], words.length > 1 ? words.at(-1) : ''].map(
		(word) => [...(word ?? '')][0],
	);
	const sum = [...phone.slice(1)].reduce((before, digit) => before * 7 + Number(digit), 0);
	const hue = (sum % 6) * 60;
	const style = { background: `hsl(${hue} 45% 30%)` };
	return html`<span
		class="avatar rounded-circle text-white fw-semibold"
		style=${style}
		aria-hidden="true"
		>${initials.join('').toUpperCase() || '☺'}</span
	>`;
}

/** What stands where there is nothing yet, and what to do about it. @param {{ title: string, children?: unknown }} props */
export const Empty = ({ title, children }) => html`
	<div class="m-auto p-4 text-center">
		<strong>${title}</strong>
		<p class="text-body-secondary">${children}</p>
	</div>
`;

/** @param {{ error?: string }} props */
export const Problem = ({ error }) =>
	error && html`<p class="alert alert-danger m-2" role="alert">${error}</p>`;

/**
 * Asks for more rows of a list.
 *
 * @param {{ has: boolean, limit: number, setLimit: (limit: number) => void, children?: unknown }} props
 */
export const More = ({ has, limit, setLimit, children = 'Show more' }) =>
	has &&
	limit < most &&
	html`<button
		class="btn border rounded-pill d-block mx-auto my-2"
		onClick=${() => setLimit(limit + step)}
	>
		${children}
	</button>`;

/**
 * A phone number in international format from what a person typed.
 *
 * @param {string} typed
 * @returns {string | undefined} undefined if it is none
 */
export function phoneOf(typed) {
	const phone = typed.replace(/[\s().\-/]/g, '').replace(/^00/, '+');
	return /^\+[1-9]\d{6,14}$/.test(phone) ? phone : undefined;
}

/** The time of a moment in ISO 8601. @param {string} timestamp @param {'short' | 'medium'} [timeStyle] with seconds: medium */
export const timeOf = (timestamp, timeStyle = 'short') =>
	new Date(timestamp).toLocaleTimeString(undefined, { timeStyle });

/** The day of a moment in ISO 8601. @param {string} timestamp @param {'medium' | 'full'} dateStyle */
export function dayOf(timestamp, dateStyle) {
	const date = new Date(timestamp);
	const isToday = date.toDateString() === new Date().toDateString();
	return isToday ? 'Today' : date.toLocaleDateString('en', { dateStyle });
}
