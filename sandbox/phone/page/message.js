/** One message: the business's on the left, with how far it has come, the customer's on the right. */
import { html, Sign, Status, timeOf } from './parts.js';

/** @typedef {import('../../state/messages').RenderedTemplate} Template */

/** @param {{ message: import('../../state/messages').Message, who: string, reply: (text: string) => void }} props */
export function Bubble({ message, who, reply }) {
	const { direction, text, template, status, createdAt, failure } = message;
	const isOurs = direction === 'outbound';
	return html`
		<li class=${`bubble ${direction} ${status}`}>
			<span class="unseen">${isOurs ? 'Your business' : who}: </span>
			${template?.header && html`<${Header} header=${template.header} />`}
			<p class="text" dir="auto">${linked(text)}</p>
			${template?.footer && html`<p class="footer" dir="auto">${template.footer}</p>`}
			<p class="meta">
				${template && html`<span>${template.name} · ${template.language}</span>`}
				<time datetime=${createdAt}>${timeOf(createdAt)}</time>
				${isOurs && html`<${Status} status=${status} />`}
			</p>
			${failure && html`<p class="failure">Not delivered. ${failure}</p>`}
			${template?.buttons.map(
				(button, index) => html`<${Button} key=${index} button=${button} reply=${reply} />`,
			)}
		</li>
	`;
}

/** @param {{ header: NonNullable<Template['header']> }} props */
function Header({ header: { format, text, documentUrl } }) {
	if (format === 'TEXT') return html`<p class="header" dir="auto"><strong>${text}</strong></p>`;
	const kind = format === 'IMAGE' ? 'Picture' : format[0] + format.slice(1).toLowerCase();
	if (format !== 'DOCUMENT') return html`<p class="card picture">${kind} of the template</p>`;
	const address = webAddress(documentUrl);
	if (!address)
		return html`<p class="card">
			<${Sign}>PDF<//> <strong>Document</strong> <small>attached to the template</small>
		</p>`;
	const file = address.pathname.split('/').filter(Boolean).at(-1) ?? address.host;
	return html`
		<${Link} class="card" href=${address.href}>
			<${Sign}>PDF<//> <strong dir="auto">${decoded(file)}</strong> <small>${address.host}</small>
		<//>
	`;
}

/** @param {{ button: Template['buttons'][number], reply: (text: string) => void }} props */
function Button({ button: { type, text, url }, reply }) {
	const address = webAddress(url);
	const words = html`<bdi>${text}</bdi>`;
	if (address)
		return html`<${Link} class="button" href=${address.href}><${Sign}>↗<//> ${words}<//>`;
	if (type !== 'QUICK_REPLY') return html`<span class="button">${words}</span>`;
	return html`<button onClick=${() => reply(text)}><${Sign}>↩<//> ${words}</button>`;
}

/** A link that leaves the page. @param {{ href: string, class?: string, children?: unknown }} props */
const Link = ({ children, ...others }) => html`
	<a ...${others} target="_blank" rel="noopener noreferrer">
		${children}<span class="unseen"> (opens in a new tab)</span>
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
