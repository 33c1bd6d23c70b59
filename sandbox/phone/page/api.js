/** The sandbox's controls, as far as the page needs them. */

/** @typedef {import('../chats').Chat} Chat */
/** @typedef {import('../chats').ChatList} ChatList */
/** @typedef {import('../chats').ChatMessages} ChatMessages */
/** @typedef {import('../../deliveries').Delivery} Delivery */
/** @typedef {import('../../state/messages').Message} Message */
/** @typedef {import('../../state/messages').RenderedTemplate} RenderedTemplate */
/** @typedef {import('../../state/webhooks').Webhook} Webhook */

/** How many rows a list begins with, how many each "Show more" adds, and how many it shows at most. */
export const step = 50;
export const most = 1000;

/** @param {string} search @param {number} limit */
export const chatsUrl = (search, limit) =>
	`/_sandbox/chats?${new URLSearchParams({ search, limit: String(limit) })}`;

/** @param {string} phone @param {number} limit */
export const chatUrl = (phone, limit) =>
	`/_sandbox/chats/${encodeURIComponent(phone)}?limit=${limit}`;

/** @param {number} limit */
export const deliveriesUrl = (limit) => `/_sandbox/deliveries?last=${limit}`;

export const webhooksUrl = '/_sandbox/webhooks';
export const eventsUrl = '/_sandbox/events';

/**
 * Gets a JSON document.
 *
 * @template T
 * @param {string} url
 * @returns {Promise<T>}
 * @throws {Error} with a sentence for people
 */
export async function get(url) {
	return await request(url, {});
}

/**
 * Writes as a customer.
 *
 * @param {{ from: string, text: string, name?: string }} message
 * @returns {Promise<{ id: string, deliveries: string[] }>} the deliveries to webhooks that it has caused
 * @throws {Error} with a sentence for people
 */
export async function write(message) {
	const headers = { 'content-type': 'application/json' };
	return await request('/_sandbox/inbound', {
		method: 'POST',
		headers,
		body: JSON.stringify(message),
	});
}

/**
 * @template T
 * @param {string} url
 * @param {RequestInit} init
 * @returns {Promise<T>}
 */
async function request(url, init) {
	const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) }).catch(() => {
		throw new Error('The sandbox does not answer. Is it still running?');
	});
	const body = await answer.json().catch(() => undefined);
	if (answer.ok) return body;
	throw new Error(body?.error?.message ?? `The sandbox answered with status ${answer.status}.`);
}
