/** The page: chats on the left, one of them beside it, and the deliveries to webhooks on demand. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { Chat } from './chat.js';
import { Chats } from './chats.js';
import { Deliveries } from './deliveries.js';
import { connect } from './live.js';
import { Empty, html, phoneOf } from './parts.js';

/** The chat that the address names, e.g. `#+15551234567`; the browser's Back leads to the one before. */
const chosenPhone = () => phoneOf(decodeURIComponent(location.hash.slice(1)));

function App() {
	const [phone, setPhone] = useState(chosenPhone);
	const [isConnected, setConnected] = useState(/** @type {boolean | undefined} */ (undefined));
	const [showsDeliveries, setShowsDeliveries] = useState(matchMedia('(min-width: 75rem)').matches);
	useEffect(() => {
		addEventListener('hashchange', () => setPhone(chosenPhone()));
		connect(setConnected);
	}, []);
	const panes = ['panes', phone && 'has-chat', showsDeliveries && 'has-deliveries'];
	return html`
		<header>
			<img src="/phone/icon.svg" alt="" width="28" height="28" />
			<h1>Phone</h1>
			<p>What your customers see. Nothing is really sent.</p>
			<p class=${isConnected ? 'live' : 'lost'} role="status">
				${isConnected && 'Live'}
				${isConnected === false && 'Not connected. Is the sandbox still running?'}
			</p>
			<button aria-pressed=${showsDeliveries} onClick=${() => setShowsDeliveries(!showsDeliveries)}>
				Deliveries
			</button>
		</header>
		<main class=${panes.filter(Boolean).join(' ')}>
			<${Chats} chosen=${phone} />
			${phone ? html`<${Chat} key=${phone} phone=${phone} />` : html`<${NoChat} />`}
			${showsDeliveries && html`<${Deliveries} />`}
		</main>
	`;
}

/** Beside the list when no chat is open. */
const NoChat = () => html`
	<section class="chat" aria-label="Chat">
		<${Empty} title="Choose a chat">
			Pick a customer on the left to see their phone and to answer as them, or start a chat from a
			new number.
		<//>
	</section>
`;

render(html`<${App} />`, document.body);
