/** One chat: who it is with, the messages, and a box to answer as the customer. */
import { useRef, useState } from 'preact/hooks';

import { chatUrl, step, write } from './api.js';
import { Composer } from './composer.js';
import { newNameOf } from './drafts.js';
import { html } from './html.js';
import { useLive } from './live.js';
import { Messages } from './messages.js';
import { Avatar, Icon, Problem } from './parts.js';
import { nameOf } from './words.js';

/** @param {{ phone: string }} props */
export function Chat({ phone }) {
	const [limit, setLimit] = useState(step);
	/** @type {{ data?: import('./api.js').ChatMessages, error?: string, reload: () => void }} */
	const { data, error, reload } = useLive(chatUrl(phone, limit), ({ chats }) =>
		chats.includes(phone),
	);
	const [answer, setAnswer] = useState({ hint: '', problem: '' });
	const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
	const name = data?.chat.name ?? newNameOf(phone) ?? null;
	const who = nameOf({ name, phone });
	/** Writes as the customer; whether that worked. @param {string} text */
	const send = async (text) => {
		try {
			const { deliveries } = await write({ from: phone, text, ...(name && { name }) });
			setAnswer({ hint: deliveries.length === 0 ? nobodyListens : '', problem: '' });
			reload();
			return true;
		} catch (failure) {
			setAnswer({
				hint: '',
				problem: failure instanceof Error ? failure.message : String(failure),
			});
			return false;
		}
	};
	/** Answers with a button of a template; the keyboard stays in the chat. @param {string} text */
	const reply = async (text) => {
		if (await send(text)) box.current?.focus();
	};
	return html`
		<section id="chat" class="chat" aria-label=${`Chat with ${who}`} tabindex="-1">
			<div class="chat-head">
				<a class="icon-button back" href="#"
					><${Icon} name="back" /><span class="unseen">Back to the chats</span></a
				>
				<${Avatar} phone=${phone} name=${name} />
				<div class="chat-who">
					<h2>${who}</h2>
					<p>${name ? phone : 'Customer without a name'}</p>
				</div>
			</div>
			${error && html`<${Problem} error=${error} />`}
			${data
				? html`<${Messages}
						list=${data}
						limit=${limit}
						who=${who}
						showOlder=${() => setLimit(limit + step)}
						reply=${reply}
					/>`
				: html`<div class="messages"></div>`}
			<p class="answer-hint" role="status">${answer.hint}</p>
			${answer.problem && html`<${Problem} error=${answer.problem} />`}
			<${Composer} box=${box} phone=${phone} who=${who} send=${send} />
		</section>
	`;
}

const nobodyListens =
	'Nobody was told: no webhook is registered. In n8n, activate a workflow that starts with the Business Messaging Trigger.';
