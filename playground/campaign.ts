/** Runs the campaign with customers who reply and get the auto-reply, and counts the results. */
import pLimit from 'p-limit';
import type { State } from '../sandbox';
import type { Message } from '../sandbox/state/messages';
import { step, UserError } from '../tools/cli';
import { readExample, readSampleContacts, type SampleContact } from '../tools/examples';
import { hasEnded } from '../tools/n8n/client';
import type { Playground } from '../tools/playground';
import { until } from '../tools/until';

const STEP_LIMIT = 180_000;
const REPLY_LIMIT = 60_000;
/** n8n manages some 8 webhook executions a second: no more people than that wait for their reply at a time. */
const SIMULTANEOUS = 8;
/** What the customers write, in turn: something for each branch of the auto-reply. */
const ANSWERS = ['Tell me more', 'No, thanks', 'Are you open on Sundays?'];

/** The results of a campaign, counted in the sandbox. */
export interface Figures {
	/** People in the sample file. */
	contacts: number;
	/** Campaign messages that the service took, and those of them with a receipt that says so. */
	sent: number;
	delivered: number;
	read: number;
	/** People who wrote back, and those of them who got a reply. */
	answered: number;
	replied: number;
	/** People without a campaign message, and people who wrote back and got no reply. */
	lost: number;
	/** Campaign messages and replies beyond the first for the same person. */
	doubled: number;
	/** Webhooks at the service after the workflows were switched off. */
	webhooksLeft: number;
}

/** Counts the results of a campaign. */
export function countCampaign({ messages: { all }, webhooks }: State): Figures {
	const contacts = readSampleContacts();
	const isOut = ({ direction }: Message) => direction === 'outbound';
	const campaign = all.filter((message) => isOut(message) && message.template);
	const replies = all.filter((message) => isOut(message) && !message.template);
	const answered = peopleOf(all.filter((message) => !isOut(message)));
	const reached = peopleOf(campaign);
	const replied = peopleOf(replies);
	const withReceipt = (status: Message['status']) =>
		campaign.filter(({ history }) => history.some((receipt) => receipt.status === status)).length;
	const unreached = contacts.filter(({ phone }) => !reached.has(phone));
	const unreplied = [...answered].filter((phone) => !replied.has(phone));
	return {
		contacts: contacts.length,
		sent: campaign.length,
		delivered: withReceipt('delivered'),
		read: withReceipt('read'),
		answered: answered.size,
		replied: answered.size - unreplied.length,
		lost: unreached.length + unreplied.length,
		doubled: campaign.length - reached.size + replies.length - replied.size,
		webhooksLeft: webhooks.all.length,
	};
}

/** Whether everybody got, read, answered and was answered exactly once, and nothing was left behind. */
export function isPerfect({ contacts, lost, doubled, webhooksLeft, ...reached }: Figures): boolean {
	const everybody = Object.values(reached).every((count) => count === contacts);
	return contacts > 0 && everybody && lost + doubled + webhooksLeft === 0;
}

const peopleOf = (messages: Message[]) => new Set(messages.map(({ phone }) => phone));

/** Runs it without a person. @throws UserError when a step fails or does not end within 3 minutes */
export async function runCampaign(playground: Playground): Promise<void> {
	const { client } = playground.n8n;
	const { state } = playground.sandbox;
	const make = async (name: string) =>
		(await client.createWorkflow(readExample(name, playground.credential))).id;
	const campaign = await make('campaign-with-results');
	const autoReply = await make('auto-reply');
	const count = (name: 'sent' | 'read' | 'replied') => () =>
		`${countCampaign(state)[name]} ${name}`;

	await step('Switching on the auto-reply', async () => await client.activate(autoReply));
	await step('Sending the campaign', async () => await send(playground, campaign), count('sent'));
	await step('Waiting for the receipts', async () => await allRead(state), count('read'));
	await step('Letting the customers write back', async () => await answer(state), count('replied'));
	await step('Waiting for n8n to finish', async () => await quiet(playground, autoReply));
	await step('Switching off the auto-reply', async () => await client.deactivate(autoReply));
}

/** Clicks "Execute workflow". */
async function send({ n8n: { client } }: Playground, workflowId: string): Promise<void> {
	const id = await client.run(workflowId, 'When clicking ‘Execute workflow’');
	const { status, data } = await client.waitForExecution(id, STEP_LIMIT);
	const reason = data.resultData.error?.message ?? 'without a message';
	if (status !== 'success')
		throw new UserError(`The campaign's execution ended with "${status}": ${reason}.`);
}

async function allRead({ messages }: State): Promise<void> {
	const isSettled = ({ status }: Message) => status === 'read' || status === 'failed';
	await until('the receipts of the campaign', () => messages.all.every(isSettled), {
		limit: STEP_LIMIT,
	});
}

/** Everybody writes once, the next one when one of those who wrote has a reply. */
async function answer({ traffic, messages }: State): Promise<void> {
	const isReply = ({ direction, template }: Message) => direction === 'outbound' && !template;
	const write = async ({ phone, name }: SampleContact, index: number) => {
		traffic.receive({ from: phone, text: ANSWERS[index % ANSWERS.length] });
		await until(
			`the reply to ${name}`,
			() => messages.all.some((message) => message.phone === phone && isReply(message)),
			{ limit: REPLY_LIMIT },
		);
	};
	const limit = pLimit(SIMULTANEOUS);
	await Promise.all(
		readSampleContacts().map((contact, index) => limit(async () => await write(contact, index))),
	);
}

/** Nothing under way that could still send a second reply. */
async function quiet({ n8n, sandbox }: Playground, workflowId: string): Promise<void> {
	const isQuiet = async () =>
		sandbox.state.deliveries.log.last().every(({ state }) => state !== 'pending') &&
		(await n8n.client.listExecutions(workflowId)).every(hasEnded);
	await until("n8n's executions to end", isQuiet, { limit: STEP_LIMIT });
}
