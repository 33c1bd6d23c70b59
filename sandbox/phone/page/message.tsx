/** One message: the business's on the left, with how far it has come, the customer's on the right. */
import type { AnchorHTMLAttributes } from 'preact';

import type { Message, RenderedTemplate } from '../../state/messages';
import { Sign, Status, timeOf } from './parts';

type Reply = (text: string) => void;

export function Bubble({ message, who, reply }: { message: Message; who: string; reply: Reply }) {
	const { direction, text, template, status, createdAt, failure } = message;
	const isOurs = direction === 'outbound';
	return (
		<li class={`bubble shadow-sm px-3 py-2 ${direction} ${status}`}>
			<span class="visually-hidden">{isOurs ? 'Your business' : who}: </span>
			{template?.header && <Header {...template.header} />}
			<p class="text" dir="auto">
				{linked(text)}
			</p>
			<div class="small text-body-secondary">
				{template?.footer && <p dir="auto">{template.footer}</p>}
				<p class="d-flex flex-wrap column-gap-2">
					<span class="me-auto">{template && `${template.name} · ${template.language}`}</span>
					<time dateTime={createdAt}>{timeOf(createdAt)}</time>
					{isOurs && <Status status={status} />}
				</p>
			</div>
			{failure && <p class="small text-danger-emphasis">Not delivered. {failure}</p>}
			{template?.buttons.map((button, index) => (
				<Button key={index} {...button} reply={reply} />
			))}
		</li>
	);
}

const card = 'd-flex align-items-center gap-3 rounded-3 bg-body-secondary p-2 mb-2';

function Header({ format, text, documentUrl }: NonNullable<RenderedTemplate['header']>) {
	if (format === 'TEXT')
		return (
			<p dir="auto">
				<strong>{text}</strong>
			</p>
		);
	const kind = format === 'IMAGE' ? 'Picture' : format[0] + format.slice(1).toLowerCase();
	if (format !== 'DOCUMENT')
		return <p class={`${card} justify-content-center py-5`}>{kind} of the template</p>;
	const address = webAddress(documentUrl);
	const file = address?.pathname.split('/').filter(Boolean).at(-1) ?? address?.host;
	const words = (
		<>
			<span class="badge text-bg-danger py-2" aria-hidden="true">
				PDF
			</span>
			<span class="overflow-hidden">
				<strong class="d-block" dir="auto">
					{file ? decoded(file) : 'Document'}
				</strong>
				<small>{address?.host ?? 'attached to the template'}</small>
			</span>
		</>
	);
	if (!address) return <p class={card}>{words}</p>;
	return (
		<Link class={`${card} text-reset text-decoration-none`} href={address.href}>
			{words}
		</Link>
	);
}

type ButtonProps = RenderedTemplate['buttons'][number] & { reply: Reply };

function Button({ type, text, url, reply }: ButtonProps) {
	const look = 'btn d-block border-0 border-top rounded-0 w-100 mt-2 fw-semibold';
	const link = `${look} btn-link text-decoration-none`;
	const address = webAddress(url);
	if (address)
		return (
			<Link class={link} href={address.href}>
				<Sign>↗</Sign> <bdi>{text}</bdi>
			</Link>
		);
	if (type !== 'QUICK_REPLY') return <bdi class={look}>{text}</bdi>;
	return (
		<button class={link} onClick={() => reply(text)}>
			<Sign>↩</Sign> <bdi>{text}</bdi>
		</button>
	);
}

/** A link that leaves the page. */
const Link = ({ children, ...others }: AnchorHTMLAttributes) => (
	<a {...others} target="_blank" rel="noopener noreferrer">
		{children}
		<span class="visually-hidden"> (opens in a new tab)</span>
	</a>
);

/** A text with its web addresses as links. */
function linked(text: string) {
	const pieces = text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]'])/);
	return pieces.map((piece, index) => {
		const address = index % 2 === 1 ? webAddress(piece) : undefined;
		return address ? <Link href={address.href}>{piece}</Link> : piece;
	});
}

/** A web address, or undefined for anything that a browser should not open, e.g. `javascript:`. */
function webAddress(address?: string): URL | undefined {
	const url = address && URL.canParse(address) ? new URL(address) : undefined;
	return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
