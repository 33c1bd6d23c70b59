/** The chats, the newest first, then the contacts nobody has written with. */
import { useEffect, useRef, useState } from 'preact/hooks';

import { chatsUrl, most, step } from './api.js';
import { html } from './html.js';
import { useLive } from './live.js';
import { NewChat } from './newChat.js';
import { Avatar, Empty, Icon, Problem, Status } from './parts.js';
import { isNew, noteSeen } from './seen.js';
import { nameOf, recentOf } from './words.js';

/** @typedef {import('./api.js').Chat} ChatSummary */

/** @param {{ chosen?: string, choose: (phone: string) => void }} props */
export function ChatList({ chosen, choose }) {
	const [search, setSearch] = useState('');
	const [limit, setLimit] = useState(step);
	const [asksForNumber, setAsksForNumber] = useState(false);
	/** @type {{ data?: import('./api.js').ChatList, error?: string }} */
	const { data: list, error } = useLive(chatsUrl(search, limit), ({ chats }) => chats.length > 0);
	/** @param {InputEvent & { currentTarget: HTMLInputElement }} event */
	const onSearch = ({ currentTarget }) => {
		setSearch(currentTarget.value);
		setLimit(step);
	};
	return html`
		<section class="chats" aria-label="Chats" onKeyDown=${moveFocus}>
			<div class="chats-head">
				<h2>Chats</h2>
				<button class="button" onClick=${() => setAsksForNumber(true)}>
					<${Icon} name="plus" /> New chat
				</button>
				<search class="search">
					<${Icon} name="search" />
					<input
						type="search"
						aria-label="Search chats"
						placeholder="Name or phone number"
						value=${search}
						onInput=${onSearch}
					/>
				</search>
			</div>
			<div class="chats-body">
				${error && html`<${Problem} error=${error} />`}
				${list && html`<${Rows} list=${list} search=${search} chosen=${chosen} />`}
				${list &&
				list.total > list.data.length &&
				limit < most &&
				html`
					<button class="button show-more" onClick=${() => setLimit(limit + step)}>
						Show more
					</button>
				`}
			</div>
			<${Announcer} chats=${list?.data ?? []} chosen=${chosen} />
			${asksForNumber &&
			html`<${NewChat} choose=${choose} close=${() => setAsksForNumber(false)} />`}
		</section>
	`;
}

/** @param {{ list: import('./api.js').ChatList, search: string, chosen?: string }} props */
function Rows({ list, search, chosen }) {
	if (list.total === 0 && search !== '')
		return html`<${Empty} icon="search" title="Nobody found"
			>Search for another name or number.<//
		>`;
	if (list.total === 0)
		return html`<${Empty} icon="chat" title="No messages yet"
			>Send one from n8n, or start a chat.<//
		>`;
	const isQuiet = search === '' && !list.data[0].lastMessage;
	return html`
		${isQuiet &&
		html`<p class="hint">
			No messages yet: send one from n8n, or write as one of these contacts.
		</p>`}
		<ul class="rows">
			${list.data.map(
				(chat) => html`<${Row} key=${chat.phone} chat=${chat} isChosen=${chat.phone === chosen} />`,
			)}
		</ul>
		<p class="count">
			${list.data.length < list.total ? `${list.data.length} of ${list.total}` : ''}
		</p>
	`;
}

/** @param {{ chat: ChatSummary, isChosen: boolean }} props */
function Row({ chat, isChosen }) {
	const { phone, name, lastMessage } = chat;
	if (isChosen) noteSeen(chat);
	const hasNew = isNew(chat);
	return html`
		<li>
			<a
				class=${hasNew ? 'row has-new' : 'row'}
				href=${`#${phone}`}
				aria-current=${isChosen ? 'page' : undefined}
			>
				<${Avatar} phone=${phone} name=${name} />
				<span class="row-name">${nameOf(chat)}</span>
				${lastMessage &&
				html`<time class="row-time" datetime=${lastMessage.timestamp}
					>${recentOf(lastMessage.timestamp)}</time
				>`}
				<span class="row-text"
					>${lastMessage ? lastMessage.text : name ? phone : 'No messages yet'}</span
				>
				${lastMessage?.direction === 'outbound' && html`<${Status} status=${lastMessage.status} />`}
				${hasNew && html`<span class="new-dot"><span class="unseen">New message</span></span>`}
			</a>
		</li>
	`;
}

/** Tells screen readers of new messages in chats that are not open. @param {{ chats: ChatSummary[], chosen?: string }} props */
function Announcer({ chats, chosen }) {
	const told = useRef(new Set());
	const [words, setWords] = useState('');
	useEffect(() => {
		const fresh = chats.filter(
			(chat) => chat.phone !== chosen && isNew(chat) && !told.current.has(chat.lastMessage?.id),
		);
		for (const { lastMessage } of fresh) told.current.add(lastMessage?.id);
		if (fresh.length > 1) setWords(`New messages in ${fresh.length} chats`);
		else if (fresh.length === 1)
			setWords(`New message for ${nameOf(fresh[0])}: ${fresh[0].lastMessage?.text}`);
	}, [chats]);
	return html`<p class="unseen" role="status">${words}</p>`;
}

/** Arrow keys go from row to row. @param {KeyboardEvent & { currentTarget: HTMLElement }} event */
function moveFocus(event) {
	const rows = [...event.currentTarget.querySelectorAll(/** @type {'a'} */ ('a.row'))];
	const here = rows.findIndex((row) => row === document.activeElement);
	const isSearch = document.activeElement?.matches('input[type=search]');
	if (here < 0 && !(isSearch && event.key === 'ArrowDown')) return;
	/** @type {Record<string, number>} */
	const targets = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: rows.length - 1 };
	const target = rows[targets[event.key]];
	if (!target) return;
	event.preventDefault();
	target.focus();
}
