/** One chat: the customer, the messages with the newest at the bottom, and a box for writing as the customer. */
import type { AnchorHTMLAttributes, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { ChatMessages } from '..';
import type { Message, RenderedTemplate } from '../../state/messages';
import type { Settings } from '../../options';
import { setOptions, useLive, write, type Written } from './live';
import { Avatar, dayOf, Empty, Problem, Sign, Status, timeOf } from './parts';

const nobodyListens =
	'No workflow got this message. In n8n, publish a workflow that starts with the Business Messaging Trigger.';

export function Chat({ phone }: { phone: string }) {
	const { data, error } = useLive<ChatMessages>(`/chats/${encodeURIComponent(phone)}`);
	const [hint, setHint] = useState('');
	const [problem, setProblem] = useState('');
	const box = useRef<HTMLTextAreaElement>(null);
	const heading = useRef<HTMLHeadingElement>(null);
	const scroller = useRef<HTMLDivElement>(null);
	const { name, data: messages = [], total = 0 } = data ?? {};
	const who = name ?? phone;
	useEffect(() => {
		// On a narrow screen, the on-screen keyboard would cover the messages.
		const isWide = matchMedia('(min-width: 45rem)').matches;
		(isWide ? box : heading).current?.focus();
	}, []);
	useEffect(() => {
		document.title = `${who} – Phone`;
		return () => void (document.title = 'Phone');
	}, [who]);
	/** Sends a message as the customer. The box keeps the focus. Returns whether it succeeded. */
	const send = async (written: Written) => {
		setProblem('');
		const answer = await write({ from: phone, ...written }).catch((failure) =>
			setProblem(String(failure)),
		);
		if (!answer) return false;
		setHint(answer.deliveries.length === 0 ? nobodyListens : '');
		scroller.current?.scrollTo({ top: 0 });
		box.current?.focus();
		return true;
	};
	return (
		<>
			<header class="d-flex flex-wrap align-items-center column-gap-3 row-gap-1 border-bottom bg-body px-3 py-2">
				<a class="btn d-md-none" href="#" aria-label="Back to the chats">
					<Sign>←</Sign>
				</a>
				<Avatar phone={phone} name={name} />
				<div>
					<h2 class="fw-bold" ref={heading} tabIndex={-1} dir="auto">
						{who}
					</h2>
					<p class="small text-body-secondary">{name ? phone : 'Customer without a name'}</p>
				</div>
				<div class="d-flex flex-wrap gap-1 ms-auto">
					<Switch
						{...{ phone, option: 'unreadNumbers', label: 'Leave unread' }}
						title="The next messages to this customer are delivered but not read"
					/>
					<Switch
						{...{ phone, option: 'failingNumbers', label: 'Let it fail' }}
						title="The next messages to this customer are reported as failed"
					/>
				</div>
			</header>
			<div
				class="messages flex-fill overflow-auto"
				ref={scroller}
				tabIndex={0}
				role="group"
				aria-label={`Messages with ${who}, to scroll`}
			>
				<div role="log" aria-label={`Messages with ${who}`}>
					<Problem error={error} />
					{total > messages.length && (
						<p class="small text-center">Older messages are not shown.</p>
					)}
					{data?.total === 0 && (
						<Empty title="No messages yet">
							Send one from n8n to see it arrive here, or write first as {who} in the box below.
						</Empty>
					)}
					<Days messages={messages} who={who} reply={send} />
				</div>
			</div>
			<p class={hint && 'alert alert-info m-2'} role="status">
				{hint}
			</p>
			<Problem error={problem} />
			<Composer box={box} who={who} send={send} />
		</>
	);
}

type Send = (written: Written) => Promise<boolean>;

interface SwitchProps {
	phone: string;
	/** The option that lists the customers for whom the switch is on. */
	option: 'failingNumbers' | 'unreadNumbers';
	label: string;
	title: string;
}

/** What happens to the next messages to this customer. */
function Switch({ phone, option, label, title }: SwitchProps) {
	const { data: options } = useLive<Settings>('/options');
	const numbers = options?.[option] ?? [];
	const isOn = numbers.includes(phone);
	const others = numbers.filter((number) => number !== phone);
	return (
		<button
			class={`btn btn-sm border rounded-pill text-nowrap ${isOn ? 'text-bg-warning' : ''}`}
			aria-pressed={isOn}
			title={title}
			onClick={() => void setOptions({ [option]: isOn ? others : [...others, phone] })}
		>
			{label}
		</button>
	);
}

function Days({ messages, who, reply }: { messages: Message[]; who: string; reply: Send }) {
	const days = Object.groupBy(messages, ({ createdAt }) => dayOf(createdAt, 'full'));
	return Object.entries(days).map(([day, group = []]) => (
		<div key={day}>
			<h3 class="small fw-bold text-body-secondary text-center my-3">{day}</h3>
			<ol class="d-flex flex-column gap-2">
				{group.map((message) => (
					<Bubble key={message.id} message={message} who={who} reply={reply} />
				))}
			</ol>
		</div>
	));
}

/** The box for writing. Enter sends, Shift+Enter starts a new line. */
function Composer(props: { box: RefObject<HTMLTextAreaElement | null>; who: string; send: Send }) {
	const { box, who, send } = props;
	const [text, setText] = useState('');
	const submit = async (event: Event) => {
		event.preventDefault();
		if (text.trim() === '') return;
		setText('');
		if (!(await send({ text }))) setText(text);
	};
	return (
		<form class="d-flex align-items-end gap-2 bg-body" onSubmit={(event) => void submit(event)}>
			<textarea
				ref={box}
				class="form-control rounded-4"
				rows={1}
				dir="auto"
				aria-label={`Reply as ${who}`}
				placeholder={`Reply as ${who}`}
				value={text}
				onInput={({ currentTarget }) => setText(currentTarget.value)}
				onKeyDown={(event) => {
					if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void submit(event);
				}}
			/>
			<button
				class="btn border rounded-pill"
				type="button"
				aria-label="Send a picture"
				title="Send a picture, a message without text"
				onClick={() => void send({ isPicture: true })}
			>
				<Sign>▣</Sign>
			</button>
			<button class="btn btn-primary rounded-pill" aria-label="Send">
				<Sign>➤</Sign>
			</button>
		</form>
	);
}

/** One message: the business's on the left, with its status; the customer's on the right. */
function Bubble({ message, who, reply }: { message: Message; who: string; reply: Send }) {
	const { direction, text, isPicture, template, status, createdAt, failure } = message;
	const isOurs = direction === 'outbound';
	return (
		<li class={`bubble shadow-sm px-3 py-2 ${direction} ${status}`}>
			<span class="visually-hidden">{isOurs ? 'Your business' : who}: </span>
			{template?.header && <Header {...template.header} />}
			{isPicture && <p class={`${card} justify-content-center py-5`}>Picture</p>}
			<p class="text" dir="auto">
				{text}
			</p>
			<div class="small text-body-secondary">
				{template?.footer && <p dir="auto">{template.footer}</p>}
				<p class="d-flex flex-wrap justify-content-end column-gap-2">
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
	if (format === 'TEXT') return <p class="fw-bold">{text}</p>;
	if (format === 'IMAGE')
		return <p class={`${card} justify-content-center py-5`}>Picture of the template</p>;
	const address = webAddress(documentUrl);
	const file = address?.pathname.split('/').at(-1)?.replaceAll('%20', ' ');
	return (
		<Link class={`${card} text-reset text-decoration-none`} href={address?.href}>
			<span class="badge text-bg-danger py-2" aria-hidden="true">
				PDF
			</span>
			<span class="overflow-hidden">
				<strong class="d-block">{file || 'Document'}</strong>
				<small>{address?.host ?? 'attached to the template'}</small>
			</span>
		</Link>
	);
}

type ButtonProps = RenderedTemplate['buttons'][number] & { reply: Send };

/** A button of a message. A quick reply sends its text; any other button opens a page or does nothing. */
function Button({ type, text, url, reply }: ButtonProps) {
	const classes = 'btn btn-link d-block border-0 border-top rounded-0 w-100 mt-2 fw-semibold';
	const plain = `${classes} text-decoration-none`;
	if (type !== 'QUICK_REPLY')
		return (
			<Link class={plain} href={webAddress(url)?.href}>
				<Sign>↗</Sign> <bdi>{text}</bdi>
			</Link>
		);
	return (
		<button class={plain} onClick={() => void reply({ text })}>
			<Sign>↩</Sign> <bdi>{text}</bdi>
		</button>
	);
}

/** A link to another site; without an address, only its text. */
const Link = ({ children, ...others }: AnchorHTMLAttributes) => (
	<a {...others} target="_blank" rel="noopener noreferrer">
		{children}
		{others.href && <span class="visually-hidden"> (opens in a new tab)</span>}
	</a>
);

/** A web address; undefined for anything that a browser should not open, e.g. `javascript:`. */
function webAddress(address = ''): URL | undefined {
	return /^https?:/.test(address) && URL.canParse(address) ? new URL(address) : undefined;
}
