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

/** Bootstrap's colours follow the system's. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const setTheme = () => void (document.body.dataset.bsTheme = dark.matches ? 'dark' : 'light');
dark.addEventListener('change', setTheme);
setTheme();

function App() {
	const [phone, setPhone] = useState(chosenPhone);
	const [isConnected, setConnected] = useState(/** @type {boolean | undefined} */ (undefined));
	const [showsDeliveries, setShowsDeliveries] = useState(matchMedia('(min-width: 75rem)').matches);
	useEffect(() => {
		addEventListener('hashchange', () => setPhone(chosenPhone()));
		connect(setConnected);
	}, []);
	// A narrow window shows one of the panes.
	const onlyWide = 'd-none d-md-flex';
	return html`
		<header class="d-flex flex-wrap align-items-center gap-3 border-bottom px-3 py-2">
			<img src="/phone/icon.svg" alt="" width="28" height="28" />
			<h1 class="fw-bold">Phone</h1>
			<p class="d-none d-md-block small text-body-secondary">
				What your customers see. Nothing is really sent.
			</p>
			<p
				class=${`badge text-wrap ms-auto text-bg-${isConnected ? 'success' : 'danger'}`}
				role="status"
			>
				${isConnected && 'Live'}
				${isConnected === false && 'Not connected. Is the sandbox still running?'}
			</p>
			<button
				class="btn border rounded-pill"
				aria-pressed=${showsDeliveries}
				onClick=${() => setShowsDeliveries(!showsDeliveries)}
			>
				Deliveries
			</button>
		</header>
		<main class="d-flex flex-fill position-relative overflow-hidden">
			<${Chats} class=${phone || showsDeliveries ? onlyWide : ''} chosen=${phone} />
			<section
				class=${`chat d-flex flex-column ${phone && !showsDeliveries ? '' : onlyWide}`}
				aria-label="Chat"
			>
				${phone ? html`<${Chat} key=${phone} phone=${phone} />` : html`<${NoChat} />`}
			</section>
			${showsDeliveries && html`<${Deliveries} />`}
		</main>
	`;
}

/** Beside the list when no chat is open. */
const NoChat = () => html`
	<${Empty} title="Choose a chat">
		Pick a customer on the left to see their phone and to answer as them, or start a chat from a new
		number.
	<//>
`;

render(html`<${App} />`, document.body);
