/** One message: the business's on the left, with how far it has come, the customer's on the right. */
import { Fragment } from 'preact';

import { html, Sign, Status, timeOf } from './parts.js';

/** @typedef {import('../../state/messages').RenderedTemplate} Template */

/** @param {{ message: import('../../state/messages').Message, who: string, reply: (text: string) => void }} props */
export function Bubble({ message, who, reply }) {
	const { direction, text, template, status, createdAt, failure } = message;
	const isOurs = direction === 'outbound';
	return html`
		<li class=${`bubble shadow-sm px-3 py-2 ${direction} ${status}`}>
			<span class="visually-hidden">${isOurs ? 'Your business' : who}: </span>
			${template?.header && html`<${Header} header=${template.header} />`}
			<p class="text" dir="auto">${linked(text)}</p>
			<div class="small text-body-secondary">
				${template?.footer && html`<p dir="auto">${template.footer}</p>`}
				<p class="d-flex flex-wrap column-gap-2">
					<span class="me-auto">${template && `${template.name} · ${template.language}`}</span>
					<time datetime=${createdAt}>${timeOf(createdAt)}</time>
					${isOurs && html`<${Status} status=${status} />`}
				</p>
			</div>
			${failure && html`<p class="small text-danger-emphasis">Not delivered. ${failure}</p>`}
			${template?.buttons.map(
				(button, index) => html`<${Button} key=${index} button=${button} reply=${reply} />`,
			)}
		</li>
	`;
}

const card = 'd-flex align-items-center gap-3 rounded-3 bg-body-secondary p-2 mb-2';

/** @param {{ header: NonNullable<Template['header']> }} props */
function Header({ header: { format, text, documentUrl } }) {
	if (format === 'TEXT') return html`<p dir="auto"><strong>${text}</strong></p>`;
	const kind = format === 'IMAGE' ? 'Picture' : format[0] + format.slice(1).toLowerCase();
	if (format !== 'DOCUMENT')
		return html`<p class=${`${card} justify-content-center py-5`}>${kind} of the template</p>`;
	const address = webAddress(documentUrl);
	const file = address?.pathname.split('/').filter(Boolean).at(-1) ?? address?.host;
	const words = html`
		<${Fragment}>
			<span class="badge text-bg-danger py-2" aria-hidden="true">PDF</span>
			<span class="overflow-hidden">
				<strong class="d-block" dir="auto">${file ? decoded(file) : 'Document'}</strong>
				<small>${address?.host ?? 'attached to the template'}</small>
			</span>
		<//>
	`;
	if (!address) return html`<p class=${card}>${words}</p>`;
	return html`
		<${Link} class=${`${card} text-reset text-decoration-none`} href=${address.href}>${words}<//>
	`;
}

const wide =
	'btn d-block border-0 border-top rounded-0 w-100 mt-2 fw-semibold text-decoration-none';

/** @param {{ button: Template['buttons'][number], reply: (text: string) => void }} props */
function Button({ button: { type, text, url }, reply }) {
	const address = webAddress(url);
	const words = html`<bdi>${text}</bdi>`;
	if (address)
		return html`<${Link} class=${`${wide} btn-link`} href=${address.href}>
			<${Sign}>↗<//> ${words}
		<//>`;
	if (type !== 'QUICK_REPLY') return html`<span class=${wide}>${words}</span>`;
	return html`
		<button class=${`${wide} btn-link`} onClick=${() => reply(text)}>
			<${Sign}>↩<//> ${words}
		</button>
	`;
}

/** A link that leaves the page. @param {{ href: string, class?: string, children?: unknown }} props */
const Link = ({ children, ...others }) => html`
	<a ...${others} target="_blank" rel="noopener noreferrer">
		${children}<span class="visually-hidden"> (opens in a new tab)</span>
	</a>
`;

/** A text with its web addresses as links. @param {string} text */
function linked(text) {
	const pieces = text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]'])/);
	return pieces.map((piece, index) => {
		const address = index % 2 === 1 ? webAddress(piece) : undefined;
		return address ? html`<${Link} href=${address.href}>${piece}<//>` : piece;
	});
}

/** A web address, or undefined for anything that a browser should not open, e.g. `javascript:`. @param {string} [address] */
function webAddress(address) {
	const url = address && URL.canParse(address) ? new URL(address) : undefined;
	return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** @param {string} text */
function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
