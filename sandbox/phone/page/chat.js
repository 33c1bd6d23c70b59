/** One chat: who it is with, the messages with the newest at the bottom, and a box to answer as the customer. */
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { newNames } from './chats.js';
import { step, useLive, write } from './live.js';
import { Bubble } from './message.js';
import { Avatar, dayOf, Empty, html, More, Problem, Sign } from './parts.js';

const nobodyListens =
	'Nobody was told: no webhook is registered. In n8n, publish a workflow that starts with the Business Messaging Trigger.';

/** @param {{ phone: string }} props */
export function Chat({ phone }) {
	const [limit, setLimit] = useState(step);
	/** @type {{ data?: import('../data').ChatMessages, error?: string }} */
	const { data, error } = useLive(`/chats/${encodeURIComponent(phone)}?limit=${limit}`);
	const [answer, setAnswer] = useState({ hint: '', problem: '' });
	const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
	const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
	const scroller = useRef(/** @type {HTMLDivElement | null} */ (null));
	const name = data?.chat.name ?? newNames.get(phone);
	const who = name ?? phone;
	useEffect(() => {
		// On a narrow screen a keyboard on the screen would cover what is to be read first.
		const isWide = matchMedia('(min-width: 45rem)').matches;
		(isWide ? box : heading).current?.focus();
	}, []);
	useEffect(() => {
		document.title = `${who} – Phone`;
		return () => void (document.title = 'Phone');
	}, [who]);
	/** Writes as the customer; the keyboard stays in the box. @param {string} text */
	const send = async (text) => {
		try {
			const { deliveries } = await write({ from: phone, text, ...(name && { name }) });
			setAnswer({ hint: deliveries.length === 0 ? nobodyListens : '', problem: '' });
			scroller.current?.scrollTo({ top: 0 });
			box.current?.focus();
			return true;
		} catch (failure) {
			setAnswer({ hint: '', problem: String(failure) });
			return false;
		}
	};
	return html`
		<${Fragment}>
			<header class="d-flex align-items-center gap-3 border-bottom bg-body px-3 py-2">
				<a class="btn d-md-none" href="#" aria-label="Back to the chats"><${Sign}>←<//></a>
				<${Avatar} phone=${phone} name=${name} />
				<div>
					<h2 class="fw-bold" ref=${heading} tabindex="-1" dir="auto">${who}</h2>
					<p class="small text-body-secondary">${name ? phone : 'Customer without a name'}</p>
				</div>
			</header>
			<div
				class="messages flex-fill overflow-auto"
				ref=${scroller}
				tabindex="0"
				role="group"
				aria-label=${`Messages with ${who}, to scroll`}
			>
				<div
					role="log"
					aria-live="polite"
					aria-label=${`Messages with ${who}`}
					aria-relevant="additions"
				>
					<${Problem} error=${error} />
					<${More} has=${data && data.total > data.data.length} limit=${limit} setLimit=${setLimit}>
						Show older messages
					<//>
					${data?.total === 0 &&
					html`<${Empty} title="No messages yet">
						Send one from n8n to see it arrive here, or write first as ${who} in the box below.
					<//>`}
					<${Days} messages=${data?.data ?? []} who=${who} reply=${send} />
				</div>
			</div>
			<p class=${answer.hint && 'alert alert-info m-2'} role="status">${answer.hint}</p>
			<${Problem} error=${answer.problem} />
			<${Composer} box=${box} who=${who} send=${send} />
		<//>
	`;
}

/** @param {{ messages: Array<import('../../state/messages').Message>, who: string, reply: (text: string) => void, }} props */
function Days({ messages, who, reply }) {
	const days = Object.entries(
		Object.groupBy(messages, ({ createdAt }) => dayOf(createdAt, 'full')),
	);
	return days.map(
		([day, group = []]) => html`
			<h3 key=${day} class="small fw-bold text-body-secondary text-center my-3">${day}</h3>
			<ol key=${`${day} messages`} class="d-flex flex-column gap-2">
				${group.map(
					(message) => html`<${Bubble} key=${message.id} ...${{ message, who, reply }} />`,
				)}
			</ol>
		`,
	);
}

/**
 * The box to answer in. Enter sends, Shift+Enter begins a new line.
 *
 * @param {{
 *   box: import('preact').RefObject<HTMLTextAreaElement>,
 *   who: string,
 *   send: (text: string) => Promise<boolean>,
 * }} props
 */
function Composer({ box, who, send }) {
	const [text, setText] = useState('');
	/** @param {Event} event */
	const submit = async (event) => {
		event.preventDefault();
		if (text.trim() === '') return;
		setText('');
		// What could not be sent comes back, unless something else was typed meanwhile.
		if (!(await send(text))) setText((typed) => typed || text);
	};
	/** @param {KeyboardEvent} event */
	const onKeyDown = (event) => {
		if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void submit(event);
	};
	/** @param {InputEvent & { currentTarget: HTMLTextAreaElement }} event */
	const onInput = ({ currentTarget }) => setText(currentTarget.value);
	return html`
		<form class="d-flex align-items-end gap-2 bg-body" onSubmit=${submit}>
			<textarea
				ref=${box}
				class="form-control rounded-4"
				rows="1"
				dir="auto"
				aria-label=${`Answer as ${who}`}
				placeholder=${`Answer as ${who}`}
				value=${text}
				onInput=${onInput}
				onKeyDown=${onKeyDown}
			></textarea>
			<button class="btn btn-primary rounded-pill" aria-label="Send"><${Sign}>➤<//></button>
		</form>
	`;
}
