import type { State } from '../sandbox';
import type { Message } from '../sandbox/state/messages';
import type { SampleContact } from '../tools/sampleContacts';

/** What became of a campaign, counted from what the sandbox really got and gave. */
export interface Figures {
	/** The n8n that it ran on. */
	n8nVersion: string;
	/** People in the sample file. */
	contacts: number;
	/** Campaign messages that the service took. */
	sent: number;
	/** Of these, those that have a receipt that says delivered. */
	delivered: number;
	/** Of these, those that have a receipt that says read. */
	read: number;
	/** People who wrote back. */
	answered: number;
	/** People who wrote back and got a reply. */
	replied: number;
	/** People without a campaign message, and people who wrote back and got no reply. */
	lost: number;
	/** Campaign messages and replies beyond the first for the same person. */
	doubled: number;
	/** Webhooks at the service after the workflows were switched off. */
	webhooksLeft: number;
	/** From the start of the campaign to the last webhook's removal. */
	seconds: number;
}

/** Counts all but the version and the seconds. */
export function countCampaign(
	state: State,
	contacts: SampleContact[],
): Omit<Figures, 'n8nVersion' | 'seconds'> {
	const messages = state.messages.all;
	const campaign = messages.filter(
		({ direction, template }) => direction === 'outbound' && template,
	);
	const replies = messages.filter(
		({ direction, template }) => direction === 'outbound' && !template,
	);
	const answered = peopleOf(messages.filter(({ direction }) => direction === 'inbound'));
	const reached = peopleOf(campaign);
	const replied = peopleOf(replies);
	const unreached = contacts.filter(({ phone }) => !reached.has(phone));
	const unreplied = [...answered].filter((phone) => !replied.has(phone));
	return {
		contacts: contacts.length,
		sent: campaign.length,
		delivered: countWith(campaign, 'delivered'),
		read: countWith(campaign, 'read'),
		answered: answered.size,
		replied: answered.size - unreplied.length,
		lost: unreached.length + unreplied.length,
		doubled: campaign.length - reached.size + replies.length - replied.size,
		webhooksLeft: state.webhooks.all.length,
	};
}

/** Whether everybody got, read, answered and was answered exactly once, and nothing was left behind. */
export function isPerfect({
	contacts,
	sent,
	delivered,
	read,
	answered,
	replied,
	lost,
	doubled,
	webhooksLeft,
}: Figures): boolean {
	const everybody = [sent, delivered, read, answered, replied].every((count) => count === contacts);
	return contacts > 0 && everybody && lost + doubled + webhooksLeft === 0;
}

/** The figures as a table for people. */
export function tableOf(figures: Figures): string {
	const rows: Array<[string, string | number]> = [
		['n8n', figures.n8nVersion],
		['contacts', figures.contacts],
		['sent', figures.sent],
		['delivered', figures.delivered],
		['read', figures.read],
		['answered', figures.answered],
		['replied', figures.replied],
		['lost', figures.lost],
		['doubled', figures.doubled],
		['webhooks left', figures.webhooksLeft],
		['seconds', figures.seconds.toFixed(1)],
	];
	return rows.map(([name, value]) => `  ${name.padEnd(14)}${String(value).padStart(8)}`).join('\n');
}

function peopleOf(messages: Message[]): Set<string> {
	return new Set(messages.map(({ phone }) => phone));
}

function countWith(messages: Message[], reached: Message['status']): number {
	return messages.filter(({ history }) => history.some(({ status }) => status === reached)).length;
}
