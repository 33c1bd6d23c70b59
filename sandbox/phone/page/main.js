/** The page: chats on the left, one of them beside it, and the deliveries to webhooks on demand. */
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { Chat } from './chat.js';
import { ChatList } from './chatList.js';
import { Deliveries } from './deliveries.js';
import { html } from './html.js';
import { connect, useConnection } from './live.js';
import { Empty, Icon } from './parts.js';
import { phoneOf } from './words.js';

/** The chat that the address names, e.g. `#+15551234567`. */
const chosenPhone = () => phoneOf(decodeURIComponent(location.hash.slice(1)));

/** @param {string} phone */
const choose = (phone) => {
	location.hash = phone;
};

/** Follows the address, so that the browser's Back leads to the chat before. */
function useChosenPhone() {
	const [phone, setPhone] = useState(chosenPhone);
	useEffect(() => {
		const follow = () => setPhone(chosenPhone());
		addEventListener('hashchange', follow);
		return () => removeEventListener('hashchange', follow);
	}, []);
	return phone;
}

const isWide = () => matchMedia('(min-width: 75rem)').matches;

function App() {
	const phone = useChosenPhone();
	const [showsDeliveries, setShowsDeliveries] = useState(isWide);
	const wasToggled = useRef(false);
	const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
	const toggleDeliveries = () => {
		wasToggled.current = true;
		setShowsDeliveries(!showsDeliveries);
		button.current?.focus();
	};
	useReturnToList(phone);
	return html`
		<${SkipLink} />
		<header class="bar">
			<img src="/phone/icon.svg" alt="" width="28" height="28" />
			<h1>Phone</h1>
			<p class="bar-words">What your customers see. Nothing is really sent.</p>
			<${Connection} />
			<button
				ref=${button}
				class="button"
				aria-pressed=${showsDeliveries}
				onClick=${toggleDeliveries}
			>
				<${Icon} name="deliveries" /> Deliveries
			</button>
		</header>
		<main
			class=${['panes', phone ? 'has-chat' : '', showsDeliveries ? 'has-deliveries' : ''].join(' ')}
		>
			<${ChatList} chosen=${phone} choose=${choose} />
			${phone ? html`<${Chat} key=${phone} phone=${phone} />` : html`<${NoChat} />`}
			${showsDeliveries &&
			html`<${Deliveries} takesFocus=${wasToggled.current} close=${toggleDeliveries} />`}
		</main>
	`;
}

/** Leads keyboards past the list. The address is left alone: it names the chat. */
function SkipLink() {
	/** @param {MouseEvent} event */
	const skip = (event) => {
		event.preventDefault();
		document.getElementById('chat')?.focus();
	};
	return html`<a class="skip-link" href="#chat" onClick=${skip}>Skip to the chat</a>`;
}

function Connection() {
	const isConnected = useConnection();
	if (isConnected === undefined) return html`<p class="connection" role="status"></p>`;
	return html`
		<p class=${`connection ${isConnected ? 'is-live' : 'is-lost'}`} role="status">
			${isConnected ? 'Live' : 'Not connected. Is the sandbox still running?'}
		</p>
	`;
}

/** Beside the list when no chat is open. */
const NoChat = () => html`
	<section id="chat" class="chat no-chat" aria-label="Chat" tabindex="-1">
		<${Empty} icon="chat" title="Choose a chat">
			Pick a customer on the left to see their phone and to answer as them, or start a chat from a
			new number.
		<//>
	</section>
`;

/** Where the list takes the place of a chat, the keyboard goes on in the list. @param {string | undefined} phone */
function useReturnToList(phone) {
	const last = useRef(phone);
	useEffect(() => {
		const before = last.current;
		last.current = phone;
		if (before && !phone)
			document.querySelector(/** @type {'a'} */ (`a[href="#${before}"]`))?.focus();
	}, [phone]);
}

connect();
render(html`<${App} />`, document.body);
