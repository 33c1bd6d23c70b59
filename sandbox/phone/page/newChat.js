/** Asks for the number of a customer who has not written yet. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { noteName } from './drafts.js';
import { html } from './html.js';
import { phoneOf } from './words.js';

/** @param {{ choose: (phone: string) => void, close: () => void }} props */
export function NewChat({ choose, close }) {
	const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
	const field = useRef(/** @type {HTMLInputElement | null} */ (null));
	const [error, setError] = useState('');
	useLayoutEffect(() => dialog.current?.showModal(), []);
	/** @param {SubmitEvent & { currentTarget: HTMLFormElement }} event */
	const start = (event) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const phone = phoneOf(String(values.get('phone')));
		if (!phone) {
			setError('Enter a number with country code, e.g. +49 170 1234567.');
			field.current?.focus();
			return;
		}
		noteName(phone, String(values.get('name')).trim());
		dialog.current?.close();
		choose(phone);
	};
	return html`
		<dialog ref=${dialog} class="dialog" aria-labelledby="new-chat-title" onClose=${close}>
			<form onSubmit=${start} novalidate>
				<h2 id="new-chat-title">New chat</h2>
				<p>
					Write as a customer who is not in the list. Any number will do: nothing is really sent.
				</p>
				<label for="new-phone">Phone number</label>
				<input
					ref=${field}
					id="new-phone"
					name="phone"
					type="tel"
					autocomplete="off"
					required
					placeholder="e.g. +49 170 1234567"
					aria-invalid=${error ? 'true' : undefined}
					aria-describedby=${error ? 'new-phone-error' : undefined}
				/>
				${error && html`<p id="new-phone-error" class="field-error" role="alert">${error}</p>`}
				<label for="new-name">Name <span class="optional">(optional)</span></label>
				<input
					id="new-name"
					name="name"
					type="text"
					autocomplete="off"
					placeholder="e.g. Ada Lovelace"
				/>
				<div class="dialog-buttons">
					<button type="button" class="button" onClick=${() => dialog.current?.close()}>
						Cancel
					</button>
					<button type="submit" class="button is-main">Start chat</button>
				</div>
			</form>
		</dialog>
	`;
}
