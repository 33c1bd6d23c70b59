/** The box to answer as the customer. Enter sends, Shift+Enter begins a new line. */
import { useEffect, useState } from 'preact/hooks';

import { draftOf, noteDraft } from './drafts.js';
import { html } from './html.js';
import { Icon } from './parts.js';

/**
 * @param {{
 *   box: import('preact').RefObject<HTMLTextAreaElement>,
 *   phone: string,
 *   who: string,
 *   send: (text: string) => Promise<boolean>,
 * }} props
 */
export function Composer({ box, phone, who, send }) {
	const [text, setText] = useState(draftOf(phone));
	// On a narrow screen the keyboard would cover what is to be read first.
	useEffect(() => {
		const place = matchMedia('(min-width: 45rem)').matches
			? box.current
			: document.getElementById('chat');
		place?.focus({ preventScroll: true });
	}, []);
	/** @param {string} typed */
	const change = (typed) => {
		noteDraft(phone, typed);
		setText(typed);
	};
	/** @param {Event} event */
	const submit = async (event) => {
		event.preventDefault();
		if (text.trim() === '') return;
		change('');
		// What could not be sent comes back, unless something else was typed meanwhile.
		if (!(await send(text)) && draftOf(phone) === '') change(text);
	};
	/** @param {KeyboardEvent} event */
	const onKeyDown = (event) => {
		if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void submit(event);
	};
	return html`
		<form class="composer" onSubmit=${submit}>
			<textarea
				ref=${box}
				rows="1"
				aria-label=${`Answer as ${who}`}
				placeholder=${`Answer as ${who}`}
				value=${text}
				onInput=${(/** @type {{ currentTarget: HTMLTextAreaElement }} */ event) =>
					change(event.currentTarget.value)}
				onKeyDown=${onKeyDown}
			></textarea>
			<button type="submit" class="icon-button is-main" aria-label="Send">
				<${Icon} name="send" />
			</button>
		</form>
	`;
}
