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
		<section
			class="deliveries d-flex flex-column border-start bg-body"
			aria-label="Deliveries to webhooks"
		>
			<header class="border-bottom px-3 py-2">
				<h2 class="fw-bold">Deliveries</h2>
				<p class="small text-body-secondary">
					What the service told webhooks, e.g. n8n, and what they answered.
				</p>
			</header>
			<div
				class="flex-fill overflow-auto"
				tabindex="0"
				role="group"
				aria-label="Webhooks and deliveries, to scroll"
			>
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
			<p class="alert alert-info m-2">
				No webhook is registered. In n8n, publish a workflow that starts with the Business Messaging
				Trigger.
			</p>
		`;
	return html`
		<div class="small text-body-secondary text-break p-3">
			<h3 class="fw-bold">${count === 1 ? '1 webhook listens' : `${count} webhooks listen`}</h3>
			${webhooks.map(
				({ id, url, events }) => html`<p key=${id}>${placeOf(url)}: ${events.join(', ')}</p>`,
			)}
		</div>
	`;
}

const colours = {
	pending: 'text-bg-warning',
	delivered: 'text-bg-success',
	failed: 'text-bg-danger',
	cancelled: 'text-bg-secondary',
};

/** @param {{ delivery: Delivery }} props */
function Row({ delivery }) {
	const { event, data, url, state, attempts, createdAt } = delivery;
	return html`
		<li class="border-top px-3 py-2 small">
			<details>
				<summary class="d-flex align-items-center gap-2">
					<span class=${`badge ${colours[state]}`}>${answerOf(delivery)}</span>
					<span class="flex-fill">
						<strong class="d-block">${event}</strong>
						${String(data.from ?? data.to ?? '')}
						${attempts.length > 1 && ` · ${attempts.length} attempts`}
					</span>
					<time class="text-nowrap" datetime=${createdAt}>${timeOf(createdAt, 'medium')}</time>
				</summary>
				<p class="text-break my-2">POST ${placeOf(url)}</p>
				${attempts.map(
					({ at, status, ms, error }) => html`
						<p key=${at}>
							${timeOf(at, 'medium')}: ${status ?? 'no answer'}${error && ` (${error})`}, ${ms} ms
						</p>
					`,
				)}
				<pre
					class="rounded-3 bg-body-secondary p-2 my-2"
					tabindex="0"
					role="group"
					aria-label="Body"
				>
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
