/** One message: the business's on the left, with how far it has come, the customer's on the right. */
import { html } from './html.js';
import { Icon, Status } from './parts.js';
import { linksIn, timeOf, webAddress } from './words.js';

/** @typedef {import('./api.js').RenderedTemplate} Template */

/** @param {{ message: import('./api.js').Message, who: string, reply: (text: string) => void }} props */
export function Bubble({ message, who, reply }) {
	const { direction, text, template, status, createdAt } = message;
	const isOurs = direction === 'outbound';
	return html`
		<li class=${`bubble ${direction} ${status === 'failed' ? 'has-failed' : ''}`}>
			<span class="unseen">${isOurs ? 'Your business' : who}: </span>
			${template?.header && html`<${Header} header=${template.header} />`}
			<p class="text">
				${linksIn(text).map((piece) =>
					piece.link ? html`<${Link} href=${piece.link.href}>${piece.text}<//>` : piece.text,
				)}
			</p>
			${template?.footer && html`<p class="footer">${template.footer}</p>`}
			<p class="meta">
				${template && html`<span class="template">${template.name} · ${template.language}</span>`}
				<time datetime=${createdAt}>${timeOf(createdAt)}</time>
				${isOurs && html`<${Status} status=${status} />`}
			</p>
			${message.failure && html`<p class="failure">Not delivered. ${message.failure}</p>`}
			${template &&
			template.buttons.length > 0 &&
			html`
				<ul class="buttons">
					${template.buttons.map(
						(button, index) =>
							html`<li key=${index}><${Button} button=${button} reply=${reply} /></li>`,
					)}
				</ul>
			`}
		</li>
	`;
}

/** @param {{ header: NonNullable<Template['header']> }} props */
function Header({ header }) {
	if (header.format === 'TEXT') return html`<p class="header">${header.text}</p>`;
	if (header.format !== 'DOCUMENT')
		return html`<p class="picture">
			<${Icon} name="picture" /> ${mediaWord(header.format)} of the template
		</p>`;
	const address = webAddress(header.documentUrl);
	if (!address)
		return html`<p class="document">
			<${DocumentWords} name="Document" place="PDF, attached to the template" />
		</p>`;
	return html`
		<${Link} className="document" href=${address.href}
			><${DocumentWords} name=${fileOf(address)} place=${`PDF · ${address.host}`}
		/><//>
	`;
}

/** @param {string} format */
const mediaWord = (format) =>
	format === 'IMAGE' ? 'Picture' : format[0] + format.slice(1).toLowerCase();

/** @param {{ name: string, place: string }} props */
const DocumentWords = ({ name, place }) => html`
	<span class="document-icon"><${Icon} name="document" /></span>
	<span class="document-name">${name}</span>
	<span class="document-place">${place}</span>
`;

/** @param {URL} address */
function fileOf({ pathname, host }) {
	const file = pathname.split('/').filter(Boolean).at(-1) ?? host;
	try {
		return decodeURIComponent(file);
	} catch {
		return file;
	}
}

/** @param {{ button: Template['buttons'][number], reply: (text: string) => void }} props */
function Button({ button: { type, text, url }, reply }) {
	const address = webAddress(url);
	if (address)
		return html`<${Link} className="template-button" href=${address.href}
			><${Icon} name="external" /> ${text}<//
		>`;
	if (type !== 'QUICK_REPLY') return html`<span class="template-button is-idle">${text}</span>`;
	return html`<button class="template-button" onClick=${() => reply(text)}>
		<${Icon} name="reply" /> ${text}
	</button>`;
}

/** A link that leaves the page. @param {{ href: string, className?: string, children?: unknown }} props */
const Link = ({ href, className, children }) => html`
	<a class=${className} href=${href} target="_blank" rel="noopener noreferrer">
		${children}<span class="unseen"> (opens in a new tab)</span>
	</a>
`;
