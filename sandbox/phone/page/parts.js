/** Small parts that are used all over the page. */
import { html } from './html.js';
import { initialsOf, statusWord } from './words.js';

/** @type {Record<string, string>} */
const shapes = {
	accepted: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3',
	sent: 'm3.5 8.5 3 3 6-7',
	delivered: 'm.8 8.5 3 3 6-7M7 10.4l1.1 1.1 6-7',
	read: 'm.8 8.5 3 3 6-7M7 10.4l1.1 1.1 6-7',
	failed: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.6M8 10.9v.1',
	back: 'M10 3 5 8l5 5',
	close: 'm4 4 8 8m0-8-8 8',
	deliveries: 'M2 8h9M8 4.5 11.5 8 8 11.5M14 3v10',
	document: 'M4 1.8h5.2L12.5 5v9.2H4zM9 2v3.3h3.3M6 8.3h4.5M6 10.8h4.5',
	down: 'M8 3v10M4 9l4 4 4-4',
	external: 'M9.5 3H13v3.5M13 3 7.5 8.5M11.5 9.5V13H3V4.5h3.5',
	person: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8zM2.8 14c.5-2.7 2.5-4 5.2-4s4.7 1.3 5.2 4',
	picture: 'M2 3.5h12v9H2zM2 11l3.5-3.5 3 3 2-2L14 12M10.8 6.2v.1',
	plus: 'M8 3v10M3 8h10',
	reply: 'M6.5 4 3 7.5 6.5 11M3.5 7.5h5.5c2.5 0 4 1.5 4 4.5',
	search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.5 3.5',
	send: 'M2.5 3 14 8 2.5 13l1.6-5zM4.1 8H9',
	chat: 'M3 3h10a1 1 0 0 1 1 1v6.5a1 1 0 0 1-1 1H7.5L4.2 14v-2.500H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1z',
};

/** A drawing without words; who cannot see it is told by the text beside it. @param {{ name: string }} props */
export const Icon = ({ name }) => html`
	<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${shapes[name]} /></svg>
`;

/** How far a message of ours has come. @param {{ status: string }} props */
export const Status = ({ status }) => html`
	<span class=${`status status-${status}`}>${statusWord(status)} <${Icon} name=${status} /></span>
`;

const colours = 8;

/** @param {{ phone: string, name?: string | null }} props */
export function Avatar({ phone, name }) {
	const colour =
		[...phone].reduce((sum, digit) => sum * 7 + Number(digit === '+' ? 0 : digit), 0) % colours;
	return html`
		<span class=${`avatar avatar-${colour}`} aria-hidden="true"
			>${initialsOf(name) ?? html`<${Icon} name="person" />`}</span
		>
	`;
}

/** What stands where there is nothing yet, and what to do about it. @param {{ icon: string, title: string, children?: unknown }} props */
export const Empty = ({ icon, title, children }) => html`
	<div class="empty">
		<span class="empty-icon"><${Icon} name=${icon} /></span>
		<p class="empty-title">${title}</p>
		${children && html`<p>${children}</p>`}
	</div>
`;

/** @param {{ error?: string }} props */
export const Problem = ({ error }) => html`<div class="problem" role="alert">${error}</div>`;
