/** The messages of a chat, by day, the newest at the bottom. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { most } from './api.js';
import { html } from './html.js';
import { Bubble } from './message.js';
import { Empty, Icon } from './parts.js';
import { dayOf } from './words.js';

/** @typedef {import('./api.js').Message} Message */

/**
 * @param {{
 *   list: import('./api.js').ChatMessages,
 *   limit: number,
 *   who: string,
 *   showOlder: () => void,
 *   reply: (text: string) => void,
 * }} props
 */
export function Messages({ list, limit, who, showOlder, reply }) {
	const { scroller, hasNewBelow, onScroll, toEnd } = useScrolling(list.data);
	return html`
		<div class="messages-frame">
			<div
				class="messages"
				ref=${scroller}
				onScroll=${onScroll}
				tabindex="0"
				role="group"
				aria-label=${`Messages with ${who}, to scroll`}
			>
				${list.total > list.data.length &&
				limit < most &&
				html` <button class="button show-more" onClick=${showOlder}>Show older messages</button> `}
				${list.total === 0 &&
				html`
					<${Empty} icon="chat" title="No messages yet">
						Send one from n8n to see it arrive here, or write first as ${who} in the box below.
					<//>
				`}
				<div role="log" aria-label=${`Messages with ${who}`} aria-relevant="additions">
					${byDay(list.data).map(
						({ day, messages }) => html`
							<h3 class="day" key=${day}><span>${day}</span></h3>
							<ol class="bubbles" key=${`${day} messages`}>
								${messages.map(
									(message) =>
										html`<${Bubble}
											key=${message.id}
											message=${message}
											who=${who}
											reply=${reply}
										/>`,
								)}
							</ol>
						`,
					)}
				</div>
			</div>
			${hasNewBelow &&
			html`<button class="button to-end" onClick=${toEnd}>
				<${Icon} name="down" /> New messages
			</button>`}
		</div>
	`;
}

/** @param {Message[]} messages */
function byDay(messages) {
	/** @type {Array<{ day: string, messages: Message[] }>} */
	const days = [];
	for (const message of messages) {
		const day = dayOf(message.createdAt);
		if (days.at(-1)?.day === day) days.at(-1)?.messages.push(message);
		else days.push({ day, messages: [message] });
	}
	return days;
}

/** Closer to the end than this, in CSS pixels, counts as at the end. */
const near = 60;

/** Stays at the end while messages come, and where it is while somebody reads above or loads older ones. @param {Message[]} messages */
function useScrolling(messages) {
	const scroller = useRef(/** @type {HTMLDivElement | null} */ (null));
	const before = useRef({ first: '', last: '', height: 0, isAtEnd: true });
	const [hasNewBelow, setHasNewBelow] = useState(false);
	const first = messages[0]?.id ?? '';
	const last = messages.at(-1)?.id ?? '';
	useLayoutEffect(() => {
		const element = scroller.current;
		if (!element) return;
		const hasNew = last !== before.current.last;
		const isOwn = hasNew && messages.at(-1)?.direction === 'inbound';
		if (before.current.isAtEnd || isOwn) element.scrollTop = element.scrollHeight;
		else if (hasNew) setHasNewBelow(true);
		else if (first !== before.current.first)
			element.scrollTop += element.scrollHeight - before.current.height;
		Object.assign(before.current, { first, last, height: element.scrollHeight });
	}, [messages]);
	// The box below grows with what is typed.
	useEffect(() => {
		const element = scroller.current;
		if (!element) return undefined;
		const observer = new ResizeObserver(() => {
			if (before.current.isAtEnd) element.scrollTop = element.scrollHeight;
		});
		observer.observe(element);
		return () => observer.disconnect();
	}, []);
	const onScroll = () => {
		const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {};
		before.current.isAtEnd = scrollHeight - scrollTop - clientHeight < near;
		if (before.current.isAtEnd) setHasNewBelow(false);
	};
	const toEnd = () => {
		scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
		scroller.current?.focus();
	};
	return { scroller, hasNewBelow, onScroll, toEnd };
}
