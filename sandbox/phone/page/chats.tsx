/** The chats, the newest first, then the contacts nobody has written with. */
import type { RefObject, TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Chat, ChatList } from '../data';
import { step, useLive } from './live';
import { Avatar, dayOf, Empty, More, phoneOf, Problem, Sign, Status, timeOf } from './parts';

/** Names of customers who have not written yet. */
export const newNames = new Map<string, string>();

export function Chats({ chosen, class: pane }: { chosen?: string; class: string }) {
	const [search, setSearch] = useState('');
	const [limit, setLimit] = useState(step);
	const dialog = useRef<HTMLDialogElement>(null);
	const query = new URLSearchParams({ search, limit: String(limit) }).toString();
	const { data: list, error } = useLive<ChatList>(`/chats?${query}`);
	const chats = list?.data ?? [];
	return (
		<section class={`chats d-flex flex-column border-end ${pane}`} aria-label="Chats">
			<header class="d-flex flex-wrap align-items-center gap-2 border-bottom px-3 py-2">
				<h2 class="flex-fill fw-bold">Chats</h2>
				<button class="btn border rounded-pill" onClick={() => dialog.current?.showModal()}>
					<Sign>+</Sign> New chat
				</button>
				<input
					class="form-control rounded-pill"
					type="search"
					dir="auto"
					aria-label="Search chats"
					placeholder="Name or phone number"
					value={search}
					onInput={({ currentTarget }) => setSearch(currentTarget.value)}
				/>
			</header>
			<div class="flex-fill overflow-auto p-2">
				<Problem error={error} />
				{list?.total === 0 && (
					<Empty title={search ? 'Nobody found' : 'No messages yet'}>
						{search ? 'Search for another name or number.' : 'Send one from n8n, or start a chat.'}
					</Empty>
				)}
				<ul>
					{chats.map((chat) => (
						<Row key={chat.phone} chat={chat} isChosen={chat.phone === chosen} />
					))}
				</ul>
				<More has={chats.length < (list?.total ?? 0)} limit={limit} setLimit={setLimit}>
					Show more of {list?.total}
				</More>
			</div>
			<NewChat dialog={dialog} />
		</section>
	);
}

function Row({ chat, isChosen }: { chat: Chat; isChosen: boolean }) {
	const { phone, name, lastMessage } = chat;
	return (
		<li>
			<a
				class="d-flex align-items-center gap-3 rounded-3 p-2 text-reset text-decoration-none"
				href={`#${phone}`}
				aria-current={isChosen ? 'page' : undefined}
			>
				<Avatar phone={phone} name={name} />
				<div class="flex-fill overflow-hidden">
					<div class="d-flex gap-2">
						<strong class="flex-fill text-truncate" dir="auto">
							{name || phone}
						</strong>
						{lastMessage && <Time at={lastMessage.timestamp} />}
					</div>
					<div class="d-flex gap-2 small text-body-secondary">
						<span class="text flex-fill text-truncate" dir="auto">
							{lastMessage?.text ?? (name ? phone : 'No messages yet')}
						</span>
						{lastMessage?.direction === 'outbound' && <Status status={lastMessage.status} />}
					</div>
				</div>
			</a>
		</li>
	);
}

/** The time of a message of today, or the day of an older one. */
function Time({ at }: { at: string }) {
	const day = dayOf(at, 'medium');
	return (
		<time class="small text-body-secondary text-nowrap" dateTime={at}>
			{day === 'Today' ? timeOf(at) : day}
		</time>
	);
}

/** Asks for the number of a customer who has not written yet. */
function NewChat({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
	const [error, setError] = useState('');
	const field = useRef<HTMLInputElement>(null);
	useEffect(() => void (error && field.current?.focus()), [error]);
	const start = (event: TargetedSubmitEvent<HTMLFormElement>) => {
		event.preventDefault();
		const form = event.currentTarget;
		const [number, name] = ['phone', 'name'].map((key) => new FormData(form).get(key) as string);
		const phone = phoneOf(number);
		setError(phone ? '' : 'Enter a number with country code, e.g. +49 170 1234567.');
		if (!phone) return;
		if (name.trim()) newNames.set(phone, name.trim());
		form.reset();
		dialog.current?.close();
		location.hash = phone;
	};
	return (
		<dialog ref={dialog} class="border-0 rounded-4 shadow p-4" aria-labelledby="new-chat">
			<form class="d-grid gap-3" onSubmit={start} noValidate>
				<h2 class="fw-bold" id="new-chat">
					New chat
				</h2>
				<p class="text-body-secondary">
					Write as a customer who is not in the list. Any number will do: nothing is really sent.
				</p>
				<label>
					Phone number
					<input
						ref={field}
						class="form-control"
						name="phone"
						type="tel"
						autocomplete="off"
						placeholder="e.g. +49 170 1234567"
						aria-invalid={error !== ''}
					/>
				</label>
				<Problem error={error} />
				<label>
					Name (optional)
					<input
						class="form-control"
						name="name"
						dir="auto"
						autocomplete="off"
						placeholder="e.g. Ada Lovelace"
					/>
				</label>
				<footer class="d-flex justify-content-end gap-2">
					<button
						class="btn border rounded-pill"
						type="button"
						onClick={() => dialog.current?.close()}
					>
						Cancel
					</button>
					<button class="btn btn-primary rounded-pill">Start chat</button>
				</footer>
			</form>
		</dialog>
	);
}
