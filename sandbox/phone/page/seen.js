/** Which chats hold something that the person at this page has not seen. Forgotten with the page. */

/** @typedef {import('./api.js').Chat} Chat */

const opened = new Date().toISOString();
/** @type {Map<string, string>} */
const seen = new Map();

/** Notes that a chat is open. @param {Chat} chat */
export function noteSeen({ phone, lastMessage }) {
	if (lastMessage) seen.set(phone, lastMessage.timestamp);
}

/** Whether a message to the customer has come since the chat was last open. @param {Chat} chat */
export function isNew({ phone, lastMessage }) {
	return (
		lastMessage?.direction === 'outbound' && lastMessage.timestamp > (seen.get(phone) ?? opened)
	);
}
