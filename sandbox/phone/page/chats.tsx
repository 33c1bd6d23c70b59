/** The chats, the newest first, then the contacts without messages. */
import { useState } from 'preact/hooks';

import type { Chat, ChatList } from '..';
import { useLive } from './live';
import { Avatar, dayOf, Empty, phoneOf, Problem, Status, timeOf } from './parts';

export function Chats({ chosen, class: pane }: { chosen?: string; class: string }) {
	const [search, setSearch] = useState('');
	const number = phoneOf(search);
	const query = new URLSearchParams({ search: number ?? search }).toString();
	const { data: list, error } = useLive<ChatList>(`/chats?${query}`);
	const { data: chats = [], total = 0 } = list ?? {};
	return (
		<section
			class={`chats col-12 col-md-4 col-xl-3 d-flex flex-column border-end ${pane}`}
			aria-label="Chats"
		>
			<header class="d-flex flex-wrap align-items-center gap-2 border-bottom px-3 py-2">
				<h2 class="flex-fill fw-bold">Chats</h2>
				<input
					class="form-control rounded-pill"
					type="search"
					dir="auto"
					aria-label="Search chats"
					placeholder="Name, or any phone number"
					value={search}
					onInput={({ currentTarget }) => setSearch(currentTarget.value)}
				/>
			</header>
			<div class="flex-fill overflow-auto p-2">
				<Problem error={error} />
				{list?.total === 0 && (
					<Empty title={search ? 'Nobody found' : 'No messages yet'}>
						{number ? (
							<a class="btn btn-primary rounded-pill mt-2" href={`#${number}`}>
								Start a chat with {number}
							</a>
						) : (
							'To write first, enter a phone number above, e.g. +49 170 1234567.'
						)}
					</Empty>
				)}
				<ul>
					{chats.map((chat) => (
						<Row key={chat.phone} chat={chat} isChosen={chat.phone === chosen} />
					))}
				</ul>
				{total > chats.length && (
					<p class="small text-body-secondary text-center my-2">
						{total - chats.length} more: search for their names or numbers.
					</p>
				)}
			</div>
		</section>
	);
}

function Row({ chat, isChosen }: { chat: Chat; isChosen: boolean }) {
	const { phone, name, lastMessage } = chat;
	const shown = lastMessage && (lastMessage.text || 'Picture');
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
							{shown ?? (name ? phone : 'No messages yet')}
						</span>
						{lastMessage?.direction === 'outbound' && <Status status={lastMessage.status} />}
					</div>
				</div>
			</a>
		</li>
	);
}

/** The time of a message from today, or the day of an older one. */
function Time({ at }: { at: string }) {
	const day = dayOf(at, 'medium');
	return (
		<time class="small text-body-secondary text-nowrap" dateTime={at}>
			{day === 'Today' ? timeOf(at) : day}
		</time>
	);
}
