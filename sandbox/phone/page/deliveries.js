/** What was delivered to webhooks, e.g. to n8n, and what they answered. */
import { useEffect, useRef, useState } from 'preact/hooks';

import { deliveriesUrl, most, step, webhooksUrl } from './api.js';
import { html } from './html.js';
import { useLive } from './live.js';
import { Empty, Icon, Problem } from './parts.js';
import { preciseTimeOf } from './words.js';

/** @typedef {import('./api.js').Delivery} Delivery */
/** @typedef {import('./api.js').Webhook} Webhook */

/** @param {{ takesFocus: boolean, close: () => void }} props `takesFocus`: whether a person has just asked for them */
export function Deliveries({ takesFocus, close }) {
	const [limit, setLimit] = useState(step);
	const isConcerned = (/** @type {import('../live').News} */ news) => news.deliveries;
	/** @type {{ data?: { data: Delivery[] }, error?: string }} */
	const { data: log, error } = useLive(deliveriesUrl(limit), isConcerned);
	/** @type {{ data?: { data: Webhook[] } }} */
	const { data: webhooks } = useLive(webhooksUrl, isConcerned);
	const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
	useEffect(() => void (takesFocus && heading.current?.focus()), []);
	/** @param {KeyboardEvent} event */
	const onKeyDown = ({ key }) => {
		if (key === 'Escape') close();
	};
	return html`
		<section class="deliveries" aria-label="Deliveries to webhooks" onKeyDown=${onKeyDown}>
			<div class="deliveries-head">
				<h2 ref=${heading} tabindex="-1">Deliveries</h2>
				<button class="icon-button" aria-label="Close the deliveries" onClick=${close}>
					<${Icon} name="close" />
				</button>
				<p>What the service told webhooks, e.g. n8n, and what they answered.</p>
			</div>
			<div
				class="deliveries-body"
				tabindex="0"
				role="group"
				aria-label="Webhooks and deliveries, to scroll"
			>
				${error && html`<${Problem} error=${error} />`}
				${webhooks && html`<${Webhooks} webhooks=${webhooks.data} />`}
				${log?.data.length === 0 &&
				html`
					<${Empty} icon="deliveries" title="No deliveries yet"
						>They begin when a webhook is registered and something happens.<//
					>
				`}
				<ol class="delivery-rows">
					${log?.data
						.toReversed()
						.map((delivery) => html`<${Row} key=${delivery.id} delivery=${delivery} />`)}
				</ol>
				${log &&
				log.data.length >= limit &&
				limit < most &&
				html`
					<button class="button show-more" onClick=${() => setLimit(limit + step)}>
						Show more
					</button>
				`}
			</div>
		</section>
	`;
}

/** @param {{ webhooks: Webhook[] }} props */
function Webhooks({ webhooks }) {
	if (webhooks.length === 0) {
		return html`
			<p class="hint">
				No webhook is registered. In n8n, activate a workflow that starts with the Business
				Messaging Trigger.
			</p>
		`;
	}
	return html`
		<h3>${webhooks.length === 1 ? '1 webhook listens' : `${webhooks.length} webhooks listen`}</h3>
		<ul class="webhooks">
			${webhooks.map(
				({ id, url, events }) => html`
					<li key=${id}>
						<span class="address">${placeOf(url)}</span> ${events.map(eventWords).join(', ')}
					</li>
				`,
			)}
		</ul>
		<h3>Newest first</h3>
	`;
}

/** @param {{ delivery: Delivery }} props */
function Row({ delivery }) {
	const { event, data, url, state, attempts, createdAt } = delivery;
	const tries = attempts.length;
	return html`
		<li>
			<details>
				<summary>
					<span class=${`answer answer-${state}`}>${answerOf(delivery)}</span>
					<span class="delivery-event">${eventWords(event)}</span>
					<time datetime=${createdAt}>${preciseTimeOf(createdAt)}</time>
					<span class="delivery-who">
						${String(data.from ?? data.to ?? '')}${tries > 1 ? ` · ${tries} tries` : ''}${state ===
							'pending' && tries > 0
							? ' · trying again'
							: ''}
					</span>
				</summary>
				<p class="address">POST ${placeOf(url)}</p>
				${tries > 0 &&
				html`
					<ol class="tries">
						${attempts.map(
							({ at, status, ms, error }) => html`
								<li key=${at}>
									${preciseTimeOf(at)}: ${status ?? 'no answer'}${error ? ` (${error})` : ''}, ${ms}
									ms
								</li>
							`,
						)}
					</ol>
				`}
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
	return last ? String(last.status ?? 'No answer') : 'On its way';
}

/** e.g. "Message received". @param {string} event */
function eventWords(event) {
	const words = event.replaceAll('.', ' ');
	return words === '*' ? 'Every event' : words[0].toUpperCase() + words.slice(1);
}

/** An address without its query, which may hold a receiver's secret. @param {string} url */
function placeOf(url) {
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}
