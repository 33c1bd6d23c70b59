/** What was typed but not sent, and names of customers who have not written yet. Forgotten with the page. */

/** @type {Map<string, string>} */
const texts = new Map();
/** @type {Map<string, string>} */
const names = new Map();

/** @param {string} phone */
export const draftOf = (phone) => texts.get(phone) ?? '';

/** @param {string} phone @param {string} text */
export const noteDraft = (phone, text) => void texts.set(phone, text);

/** @param {string} phone */
export const newNameOf = (phone) => names.get(phone);

/** @param {string} phone @param {string} name */
export const noteName = (phone, name) => void (name && names.set(phone, name));
