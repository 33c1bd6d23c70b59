/** `npm run demo`: runs the campaign and the auto-reply of `examples/` on a real n8n, with simulated customers, and counts the results. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { State } from '../sandbox';
import type { Message } from '../sandbox/state/messages';
import { onStop, readFlags, runMain, step, UserError } from '../harness/cli';
import {
	readExample,
	readSampleContacts,
	type SampleContact,
	thatSends,
} from '../harness/examples';
import { hasEnded } from '../harness/n8n/client';
import { openPlayground, visitN8n, type Visit } from '../harness/playground';
import { until } from '../harness/until';

const USAGE = `Usage: npm run demo -- [--json FILE] [--n8n URL --email EMAIL]
Sends the campaign of examples/ to its sample contacts, lets them answer, and counts what arrived.
--n8n uses an n8n on this machine that you have started with these nodes, instead of installing one. EMAIL is its owner's, and the
environment variable N8N_OWNER_PASSWORD has the password. Afterwards, the demo deletes its workflows and its credential there.`;
const STEP_LIMIT = 180_000;
const REPLY_LIMIT = 180_000;
/** How many customers write in a second. n8n manages about 8 executions of a webhook in a second on two cores. */
const WRITERS_PER_SECOND = 6;
/** A slow n8n gets no more messages while this many customers wait for a reply. */
const MAX_WAITING = 50;
/** What the customers write, one after the other: there is a message for each branch of the auto-reply. */
const ANSWERS = ['Tell me more', 'No, thanks', 'Are you open on Sundays?'];

/** What the demo needs of an n8n beside a sandbox. */
type Stage = Visit & { version: string };

runMain(async () => {
	const flags = readFlags({ json: 'string', n8n: 'string', email: 'string' }, USAGE);
	const { json } = flags;
	let perfect = false;
	const stage = await openStage(flags, () => perfect);

	const start = Date.now();
	// The counted results are shown even after a failure.
	const failure = await runCampaign(stage).catch((error: unknown) => error);
	const seconds = Math.round((Date.now() - start) / 100) / 10;
	const counted = countCampaign(stage.sandbox.state);
	const figures = { n8nVersion: stage.version, ...counted, seconds };
	for (const [name, value] of Object.entries(figures))
		console.log(`  ${name.padEnd(14)}${String(value).padStart(8)}`);
	if (json) await writeFile(json, `${JSON.stringify(figures, null, 2)}\n`);
	if (failure instanceof Error) throw failure;
	perfect = isPerfect(counted);
	if (!perfect) throw new UserError('The campaign did not go as it should: see the table.');
	console.log(
		'Everybody got the campaign, wrote back and was answered, exactly once, and no webhook was left behind.',
	);
});

/** @param isPerfect whether n8n's data and log need not be kept, asked at the end @throws UserError */
async function openStage(
	{ n8n: url, email }: { n8n?: string; email?: string },
	isPerfect: () => boolean,
): Promise<Stage> {
	if (url !== undefined) {
		const password = process.env.N8N_OWNER_PASSWORD;
		if (email === undefined || !password)
			throw new UserError(`--n8n also needs --email and N8N_OWNER_PASSWORD.\n${USAGE}`);
		const visit = await visitN8n(url.replace(/\/$/, ''), { email, password });
		onStop(visit.close);
		return { ...visit, version: await visit.client.version() };
	}
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-demo-'));
	onStop(async () => {
		if (isPerfect()) await rm(folder, { recursive: true, force: true });
		else console.error(`n8n's data and log are kept in ${folder}.`);
	});
	const { n8n, ...playground } = await openPlayground({ folder });
	onStop(playground.close);
	return { ...playground, client: n8n.client, version: n8n.install.version };
}

/** Runs the campaign with simulated customers. @throws UserError when a step fails or does not end within 3 minutes */
async function runCampaign(stage: Stage): Promise<void> {
	const { client, sandbox, credential } = stage;
	const make = async (name: string) => {
		const { id } = await client.createWorkflow(thatSends(readExample(name, credential)));
		onStop(async () => await client.deleteWorkflow(id));
		return id;
	};
	const campaign = await make('campaign-with-results');
	const autoReply = await make('auto-reply');
	const count = (name: 'sent' | 'read' | 'replied') => () =>
		`${countCampaign(sandbox.state)[name]} ${name}`;

	await step('Switching on the auto-reply', async () => await client.activate(autoReply));
	await step('Sending the campaign', async () => await send(stage, campaign), count('sent'));
	await step('Waiting for the receipts', async () => await allRead(sandbox.state), count('read'));
	const answer = async () => await everybodyAnswers(sandbox.state);
	await step('Letting the customers write back', answer, count('replied'));
	await step('Waiting for n8n to finish', async () => await quiet(stage, autoReply));
	await step('Switching off the auto-reply', async () => await client.deactivate(autoReply));
}

/** Clicks "Execute workflow". */
async function send({ client }: Stage, workflowId: string): Promise<void> {
	const id = await client.run(workflowId, 'When clicking ‘Execute workflow’');
	const { status, data } = await client.waitForExecution(id, STEP_LIMIT);
	const reason = data.resultData.error?.message ?? 'without a message';
	if (status !== 'success')
		throw new UserError(`The campaign's execution ended with "${status}": ${reason}.`);
}

async function allRead({ messages }: State): Promise<void> {
	const isSettled = ({ status }: Message) => status === 'read' || status === 'failed';
	const areSettled = () => messages.all.every(isSettled);
	await until('the receipts of the campaign', areSettled, { limit: STEP_LIMIT });
}

/** Each customer writes once, one after the other, and gets a reply. */
async function everybodyAnswers({ traffic, messages }: State): Promise<void> {
	const write = async ({ phone, name }: SampleContact, index: number) => {
		traffic.receive({ from: phone, text: ANSWERS[index % ANSWERS.length] });
		const hasReply = () => messages.all.some((one) => one.phone === phone && isReply(one));
		await until(`the reply to ${name}`, hasReply, { limit: REPLY_LIMIT });
	};
	const limit = pLimit(MAX_WAITING);
	const start = async (contact: SampleContact, index: number) => {
		await delay((index * 1_000) / WRITERS_PER_SECOND);
		await limit(write, contact, index);
	};
	await Promise.all(readSampleContacts().map(start));
}

/** Waits until nothing is under way that could still send a second reply. */
async function quiet({ client, sandbox }: Stage, workflowId: string): Promise<void> {
	const isQuiet = async () =>
		sandbox.state.deliveries.log.last().every(({ state }) => state !== 'pending') &&
		(await client.listExecutions(workflowId)).every(hasEnded);
	await until("n8n's executions to end", isQuiet, { limit: STEP_LIMIT });
}

const isOut = ({ direction }: Message) => direction === 'outbound';
const isReply = (message: Message) => isOut(message) && !message.template;
const peopleOf = (messages: Message[]) => new Set(messages.map(({ phone }) => phone));

/** Counts the results of a campaign. */
function countCampaign({ messages: { all }, webhooks }: State) {
	const contacts = readSampleContacts();
	const campaign = all.filter((message) => isOut(message) && message.template);
	const replies = all.filter(isReply);
	const reached = peopleOf(campaign);
	const replied = peopleOf(replies);
	const answered = peopleOf(all.filter((message) => !isOut(message)));
	const withReceipt = (status: Message['status']) =>
		campaign.filter(({ history }) => history.some((receipt) => receipt.status === status)).length;
	const unreached = contacts.filter(({ phone }) => !reached.has(phone));
	const unreplied = [...answered].filter((phone) => !replied.has(phone));
	return {
		/** People in the sample file. */
		contacts: contacts.length,
		/** Campaign messages that the service accepted; and how many of them have each receipt. */
		sent: campaign.length,
		delivered: withReceipt('delivered'),
		read: withReceipt('read'),
		/** People who wrote back, and those of them who got a reply. */
		answered: answered.size,
		replied: answered.size - unreplied.length,
		/** People without a campaign message, and people who wrote back and got no reply. */
		lost: unreached.length + unreplied.length,
		/** Campaign messages and replies beyond the first for the same person. */
		doubled: campaign.length - reached.size + replies.length - replied.size,
		/** Webhooks at the service after the workflows were switched off. */
		webhooksLeft: webhooks.all.length,
	};
}

/** Whether all people received the message, read it, replied and got exactly one reply, and nothing was left behind. */
function isPerfect(figures: ReturnType<typeof countCampaign>): boolean {
	const { contacts, lost, doubled, webhooksLeft, ...reached } = figures;
	const everybody = Object.values(reached).every((count) => count === contacts);
	return contacts > 0 && everybody && lost + doubled + webhooksLeft === 0;
}
