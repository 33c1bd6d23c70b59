/** Names, numbers and times as people read them. */

/** @param {{ name?: string | null, phone: string }} who */
export const nameOf = ({ name, phone }) => name || phone;

/**
 * A phone number in international format from what a person typed.
 *
 * @param {string} typed
 * @returns {string | undefined} undefined if it is none
 */
export function phoneOf(typed) {
	const phone = typed.replace(/[\s().\-/]/g, '').replace(/^00/, '+');
	return /^\+[1-9]\d{6,14}$/.test(phone) ? phone : undefined;
}

/**
 * Up to two initials, or undefined for somebody without a name.
 *
 * @param {string | null | undefined} name
 */
export function initialsOf(name) {
	const words = (name ?? '').split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
	const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) =>
		word ? [...word][0] : '',
	);
	return letters.join('').toUpperCase() || undefined;
}

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const preciseTime = new Intl.DateTimeFormat(undefined, {
	hour: '2-digit',
	minute: '2-digit',
	second: '2-digit',
});
const day = new Intl.DateTimeFormat('en', {
	weekday: 'long',
	day: 'numeric',
	month: 'long',
	year: 'numeric',
});
const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });

/** @param {string} timestamp ISO 8601 */
export const timeOf = (timestamp) => time.format(new Date(timestamp));

/** @param {string} timestamp ISO 8601 */
export const preciseTimeOf = (timestamp) => preciseTime.format(new Date(timestamp));

/** @param {string} timestamp ISO 8601 */
export const dayOf = (timestamp) => nearDay(timestamp) ?? day.format(new Date(timestamp));

/**
 * For a list: the time if it was today, else the day.
 *
 * @param {string} timestamp ISO 8601
 */
export function recentOf(timestamp) {
	const near = nearDay(timestamp);
	if (near === 'Today') return timeOf(timestamp);
	return near ?? shortDay.format(new Date(timestamp));
}

/** @param {string} timestamp */
function nearDay(timestamp) {
	const yesterday = new Date();
	yesterday.setDate(yesterday.getDate() - 1);
	const written = new Date(timestamp).toDateString();
	if (written === new Date().toDateString()) return 'Today';
	return written === yesterday.toDateString() ? 'Yesterday' : undefined;
}

/** @type {Record<string, string>} */
const statusWords = {
	accepted: 'Accepted',
	sent: 'Sent',
	delivered: 'Delivered',
	read: 'Read',
	failed: 'Failed',
	received: 'Received',
};

/** @param {string} status */
export const statusWord = (status) => statusWords[status] ?? status;

/**
 * A web address, or undefined for anything that a browser should not open, e.g. `javascript:`.
 *
 * @param {string | undefined} address
 */
export function webAddress(address) {
	const url = address && URL.canParse(address) ? new URL(address) : undefined;
	return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** What a text says in a row: its pieces, those that are web addresses with a link. @param {string} text */
export function linksIn(text) {
	return text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]'])/).map((piece, index) => ({
		text: piece,
		link: index % 2 === 1 ? webAddress(piece) : undefined,
	}));
}
