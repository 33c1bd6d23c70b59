import pLimit from 'p-limit';
import { countCampaign } from './campaignFigures';
import { readExample } from '../tools/exampleWorkflows';
import type { Playground } from '../tools/playground';
import { UserError } from '../tools/userError';
import { step } from '../tools/progress';
import { readSampleContacts, type SampleContact } from '../tools/sampleContacts';
import { waitFor } from '../tools/waitFor';

const STEP_LIMIT = 180_000;
const REPLY_LIMIT = 60_000;
/** n8n manages some 8 webhook executions a second: no more people than that wait for their reply at a time. */
const SIMULTANEOUS = 8;
/** What the customers write, in turn: something for each branch of the auto-reply. */
const ANSWERS = ['Tell me more', 'No, thanks', 'Are you open on Sundays?'];

/** The welcome campaign, the customers who write back, and the auto-reply, from the first click to the last. */
export class DemoCampaign {
	readonly contacts = readSampleContacts();

	constructor(private readonly playground: Playground) {}

	/** @throws UserError when a step fails or does not end within 3 minutes */
	async run(): Promise<void> {
		const { client } = this.playground.n8n;
		const count = () => countCampaign(this.playground.sandbox.state, this.contacts);
		const campaign = await client.createWorkflow(
			readExample('welcome-campaign', this.playground.credential),
		);
		const autoReply = await client.createWorkflow(
			readExample('auto-reply', this.playground.credential),
		);

		await step('Switching on the auto-reply', async () => await client.activate(autoReply.id));
		await step(
			'Sending the campaign',
			async () => await this.send(campaign.id),
			() => `${count().sent} sent`,
		);
		await step(
			'Waiting for the receipts',
			async () => await this.allRead(),
			() => `${count().read} read`,
		);
		await step(
			'Letting the customers write back',
			async () => await this.answer(),
			() => `${count().replied} replied`,
		);
		await step('Waiting for n8n to finish', async () => await this.quiet(autoReply.id));
		await step('Switching off the auto-reply', async () => await client.deactivate(autoReply.id));
	}

	/** Clicks "Execute workflow". */
	private async send(workflowId: string): Promise<void> {
		const { client } = this.playground.n8n;
		const id = await client.run(workflowId, 'When clicking ‘Execute workflow’');
		const { status, data } = await client.waitForExecution(id, STEP_LIMIT);
		const reason = data.resultData.error?.message ?? 'without a message';
		if (status !== 'success')
			throw new UserError(`The campaign's execution ended with "${status}": ${reason}.`);
	}

	private async allRead(): Promise<void> {
		const { messages } = this.playground.sandbox.state;
		const settled = () =>
			messages.all.every(({ status }) => status === 'read' || status === 'failed');
		await waitFor(async () => settled(), {
			what: 'the receipts of the campaign',
			limit: STEP_LIMIT,
		});
	}

	/** Everybody writes once, the next one when one of those who wrote has a reply. */
	private async answer(): Promise<void> {
		const limit = pLimit(SIMULTANEOUS);
		const write = async ({ phone, name }: SampleContact, index: number) => {
			const { traffic, messages } = this.playground.sandbox.state;
			traffic.receive({ from: phone, text: ANSWERS[index % ANSWERS.length] });
			const replied = () =>
				messages.all.some(
					(message) =>
						message.phone === phone && message.direction === 'outbound' && !message.template,
				);
			await waitFor(async () => replied(), {
				what: `the reply to ${name}`,
				limit: REPLY_LIMIT,
				interval: 50,
			});
		};
		await Promise.all(this.contacts.map((contact, index) => limit(write, contact, index)));
	}

	/** Nothing under way that could still send a second reply. */
	private async quiet(workflowId: string): Promise<void> {
		const { n8n, sandbox } = this.playground;
		const isQuiet = async () => {
			if (sandbox.state.deliveries.log.last().some(({ state }) => state === 'pending'))
				return false;
			const executions = await n8n.client.listExecutions(workflowId);
			return executions.every(
				({ status }) => status === 'success' || status === 'error' || status === 'crashed',
			);
		};
		await waitFor(isQuiet, { what: "n8n's executions to end", limit: STEP_LIMIT });
	}
}
