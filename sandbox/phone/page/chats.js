/** The chats, the newest first, then the contacts nobody has written with. */
import { useEffect, useRef, useState } from 'preact/hooks';

import { step, useLive } from './live.js';
import {
	Avatar,
	dayOf,
	Empty,
	html,
	More,
	phoneOf,
	Problem,
	Sign,
	Status,
	timeOf,
} from './parts.js';

/** Names of customers who have not written yet. */
export const newNames = /** @type {Map<string, string>} */ (new Map());

/** @param {{ chosen?: string }} props */
export function Chats({ chosen }) {
	const [search, setSearch] = useState('');
	const [limit, setLimit] = useState(step);
	const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
	const query = new URLSearchParams({ search, limit: String(limit) });
	/** @type {{ data?: import('../data').ChatList, error?: string }} */
	const { data: list, error } = useLive(`/chats?${query}`);
	/** @param {InputEvent & { currentTarget: HTMLInputElement }} event */
	const onSearch = ({ currentTarget }) => setSearch(currentTarget.value);
	const chats = list?.data ?? [];
	return html`
		<section class="chats" aria-label="Chats">
			<header>
				<h2>Chats</h2>
				<button onClick=${() => dialog.current?.showModal()}><${Sign}>+<//> New chat</button>
				<input
					type="search"
					dir="auto"
					aria-label="Search chats"
					placeholder="Name or phone number"
					value=${search}
					onInput=${onSearch}
				/>
			</header>
			<div class="scroll">
				<${Problem} error=${error} />
				${list?.total === 0 &&
				html`<${Empty} title=${search ? 'Nobody found' : 'No messages yet'}>
					${search ? 'Search for another name or number.' : 'Send one from n8n, or start a chat.'}
				<//>`}
				${chats[0]?.lastMessage === null &&
				!search &&
				html`<p class="note">
					No messages yet: send one from n8n, or write as one of these contacts.
				</p>`}
				<ul>
					${chats.map((chat) => html`<${Row} key=${chat.phone} chat=${chat} chosen=${chosen} />`)}
				</ul>
				<${More} has=${chats.length < (list?.total ?? 0)} limit=${limit} setLimit=${setLimit}>
					Show more of ${list?.total}
				<//>
			</div>
			<${NewChat} dialog=${dialog} />
		</section>
	`;
}

/** @param {{ chat: import('../data').Chat, chosen?: string }} props */
function Row({ chat: { phone, name, lastMessage }, chosen }) {
	const day = lastMessage && dayOf(lastMessage.timestamp, 'medium');
	return html`
		<li>
			<a href=${`#${phone}`} aria-current=${phone === chosen ? 'page' : undefined}>
				<${Avatar} phone=${phone} name=${name} />
				<strong dir="auto">${name || phone}</strong>
				${lastMessage &&
				html`<time datetime=${lastMessage.timestamp}
					>${day === 'Today' ? timeOf(lastMessage.timestamp) : day}</time
				>`}
				<span class="text" dir="auto"
					>${lastMessage ? lastMessage.text : name ? phone : 'No messages yet'}</span
				>
				${lastMessage?.direction === 'outbound' && html`<${Status} status=${lastMessage.status} />`}
			</a>
		</li>
	`;
}

/** Asks for the number of a customer who has not written yet. @param {{ dialog: { current: HTMLDialogElement | null } }} props */
function NewChat({ dialog }) {
	const [error, setError] = useState('');
	const field = useRef(/** @type {HTMLInputElement | null} */ (null));
	useEffect(() => void (error && field.current?.focus()), [error]);
	/** @param {SubmitEvent & { currentTarget: HTMLFormElement }} event */
	const start = (event) => {
		event.preventDefault();
		const form = event.currentTarget;
		const [number, name] = ['phone', 'name'].map((key) => String(new FormData(form).get(key)));
		const phone = phoneOf(number);
		setError(phone ? '' : 'Enter a number with country code, e.g. +49 170 1234567.');
		if (!phone) return;
		if (name.trim()) newNames.set(phone, name.trim());
		form.reset();
		dialog.current?.close();
		location.hash = phone;
	};
	return html`
		<dialog ref=${dialog} aria-labelledby="new-chat">
			<form onSubmit=${start} novalidate>
				<h2 id="new-chat">New chat</h2>
				<p>
					Write as a customer who is not in the list. Any number will do: nothing is really sent.
				</p>
				<label>
					Phone number
					<input
						ref=${field}
						name="phone"
						type="tel"
						autocomplete="off"
						placeholder="e.g. +49 170 1234567"
						aria-invalid=${error ? 'true' : undefined}
					/>
				</label>
				<${Problem} error=${error} />
				<label>
					Name (optional)
					<input name="name" dir="auto" autocomplete="off" placeholder="e.g. Ada Lovelace" />
				</label>
				<footer>
					<button type="button" onClick=${() => dialog.current?.close()}>Cancel</button>
					<button class="main">Start chat</button>
				</footer>
			</form>
		</dialog>
	`;
}
