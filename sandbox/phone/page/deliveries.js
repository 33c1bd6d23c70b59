/** What was delivered to webhooks, e.g. to n8n, and what they answered. */
import { useState } from 'preact/hooks';

import { step, useLive } from './live.js';
import { Empty, html, More, Problem, timeOf } from './parts.js';

/** @typedef {import('../../deliveries').Delivery} Delivery */
/** @typedef {import('../../state/webhooks').Webhook} Webhook */

export function Deliveries() {
	const [limit, setLimit] = useState(step);
	/** @type {{ data?: { data: Delivery[] }, error?: string }} */
	const { data: log, error } = useLive(`/deliveries?last=${limit}`);
	/** @type {{ data?: { data: Webhook[] } }} */
	const { data: webhooks } = useLive('/webhooks');
	const deliveries = log?.data ?? [];
	return html`
		<section class="deliveries" aria-label="Deliveries to webhooks">
			<header>
				<h2>Deliveries</h2>
				<p>What the service told webhooks, e.g. n8n, and what they answered.</p>
			</header>
			<div class="scroll" tabindex="0" role="group" aria-label="Webhooks and deliveries, to scroll">
				<${Problem} error=${error} />
				${webhooks && html`<${Webhooks} webhooks=${webhooks.data} />`}
				${log &&
				deliveries.length === 0 &&
				html`<${Empty} title="No deliveries yet">
					They begin when a webhook is registered and something happens.
				<//>`}
				<ol>
					${deliveries
						.toReversed()
						.map((delivery) => html`<${Row} key=${delivery.id} delivery=${delivery} />`)}
				</ol>
				<${More} has=${deliveries.length >= limit} limit=${limit} setLimit=${setLimit} />
			</div>
		</section>
	`;
}

/** @param {{ webhooks: Webhook[] }} props */
function Webhooks({ webhooks }) {
	const count = webhooks.length;
	if (count === 0)
		return html`
			<p class="note">
				No webhook is registered. In n8n, publish a workflow that starts with the Business Messaging
				Trigger.
			</p>
		`;
	return html`
		<h3>${count === 1 ? '1 webhook listens' : `${count} webhooks listen`}</h3>
		${webhooks.map(
			({ id, url, events }) => html`<p key=${id}>${placeOf(url)}: ${events.join(', ')}</p>`,
		)}
	`;
}

/** @param {{ delivery: Delivery }} props */
function Row({ delivery }) {
	const { event, data, url, state, attempts, createdAt } = delivery;
	return html`
		<li>
			<details>
				<summary>
					<span class=${`answer ${state}`}>${answerOf(delivery)}</span>
					<strong>${event}</strong>
					<span class="who">
						${String(data.from ?? data.to ?? '')}
						${attempts.length > 1 && ` · ${attempts.length} attempts`}
					</span>
					<time datetime=${createdAt}>${timeOf(createdAt, 'medium')}</time>
				</summary>
				<p>POST ${placeOf(url)}</p>
				${attempts.map(
					({ at, status, ms, error }) => html`
						<p key=${at}>
							${timeOf(at, 'medium')}: ${status ?? 'no answer'}${error && ` (${error})`}, ${ms} ms
						</p>
					`,
				)}
				<pre tabindex="0" role="group" aria-label="Body">
${JSON.stringify({ event, data }, null, 2)}</pre
				>
			</details>
		</li>
	`;
}

/** The receiver's last answer in a word. @param {Delivery} delivery */
function answerOf({ state, attempts }) {
	if (state === 'cancelled') return 'Cancelled';
	const last = attempts.at(-1);
	return last ? String(last.status ?? 'No answer') : 'Pending';
}

/** An address without its query, which may hold a receiver's secret. @param {string} url */
function placeOf(url) {
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}
