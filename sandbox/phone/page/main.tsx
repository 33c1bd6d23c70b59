/** The page: the chats on the left, next to them the open chat; and the deliveries to webhooks, if the user opens them. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import 'bootstrap/dist/css/bootstrap.min.css';
import './style.css';
import { Chat } from './chat';
import { Chats } from './chats';
import { Deliveries } from './deliveries';
import type { Webhook } from '../../state/webhooks';
import { useLive } from './live';
import { Empty, phoneOf } from './parts';

/** The chat in the page's address, e.g. `#+15551234567`. The browser's Back button leads to the previous chat. */
const chosenPhone = () => phoneOf(decodeURIComponent(location.hash.slice(1)));

/** Bootstrap's colours follow the system's. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const setTheme = () => void (document.body.dataset.bsTheme = dark.matches ? 'dark' : 'light');
dark.addEventListener('change', setTheme);
setTheme();

function App() {
	const [phone, setPhone] = useState(chosenPhone);
	const { data: webhooks, error } = useLive<{ data: Webhook[] }>('/webhooks');
	const isConnected = webhooks && !error;
	const [showsDeliveries, setShowsDeliveries] = useState(matchMedia('(min-width: 75rem)').matches);
	useEffect(() => addEventListener('hashchange', () => setPhone(chosenPhone())), []);
	// A narrow window shows only one of the panes.
	const onlyWide = 'd-none d-md-flex';
	return (
		<>
			<header class="d-flex flex-wrap align-items-center gap-3 border-bottom px-3 py-2">
				<img src="/phone/icon.svg" alt="" width="28" height="28" />
				<h1 class="fw-bold">Phone</h1>
				<p class="d-none d-md-block small text-body-secondary">
					What your customers see. Nothing is really sent.
				</p>
				<p
					class={`badge text-wrap ms-auto text-bg-${isConnected ? 'success' : 'danger'}`}
					role="status"
				>
					{isConnected ? 'Live' : error && 'Not connected'}
				</p>
				<button
					class="btn border rounded-pill"
					aria-pressed={showsDeliveries}
					onClick={() => setShowsDeliveries(!showsDeliveries)}
				>
					Deliveries
				</button>
			</header>
			<main class="d-flex flex-fill position-relative overflow-hidden">
				<Chats class={phone || showsDeliveries ? onlyWide : ''} chosen={phone} />
				<section
					class={`chat d-flex flex-column ${phone && !showsDeliveries ? '' : onlyWide}`}
					aria-label="Chat"
				>
					{phone ? (
						<Chat key={phone} phone={phone} />
					) : (
						<Empty title="Choose a chat">
							Pick a customer on the left to see their phone and to reply as them, or start a chat
							from a new number.
						</Empty>
					)}
				</section>
				{showsDeliveries && <Deliveries webhooks={webhooks?.data} />}
			</main>
		</>
	);
}

render(<App />, document.body);
