/** Reads the messages of a campaign from the campaign log. */
import { uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { campaignName } from '../campaignName';
import { quoted, textOrJson } from '../jsonValues';
import { InputError } from '../transport/errors';
import { type CampaignMessage, MessageRows, isSent } from './messages';
import type { CampaignTables, Table } from './tables';
import { yieldToN8n } from '../yieldToN8n';

/** An error shows so many names of campaigns, those of the latest rows. */
const maxNames = 10;
const latestRows = 2_000;
/** A hint shows so many names. */
const maxShown = 3;

const nameOf = ({ campaign }: IDataObject) => campaignName(textOrJson(campaign));

/** The messages of this account's campaign, or of all. @throws InputError if the campaign has none, with the names that there are */
export async function readMessagesOf(
	tables: CampaignTables,
	campaign?: string,
): Promise<CampaignMessage[]> {
	const log = await tables.log();
	if (!log)
		throw new InputError(
			'This project has no campaigns yet',
			"The data table Business Messaging Campaigns is created by the first message with 'Send Once' in a workflow of this project.",
		);
	const wanted = campaign === undefined ? undefined : campaignName(campaign);
	const found = new MessageRows();
	const yieldNow = yieldToN8n();
	let others = 0;
	for await (const part of wanted === undefined ? log.readAll(0) : log.readCampaign(wanted))
		for (const row of part) {
			const name = nameOf(row);
			if (name === '' || (wanted !== undefined && name !== wanted)) continue;
			if (tables.isOwn(row)) found.add({ ...row, campaign: name });
			else others++;
			await yieldNow();
		}
	const { messages } = found;
	if (messages.length > 0 || wanted === undefined) return messages;
	if (others > 0)
		throw new InputError(
			`The campaign "${quoted(wanted)}" was sent by another account`,
			'Choose the credential that has sent it. If this is the same account with a new key, empty the column account of its rows in the data table Business Messaging Campaigns.',
		);
	const known = await latestNames(log, tables.isOwn);
	throw new InputError(
		`There are no messages of the campaign "${quoted(wanted)}"`,
		`Check the name.${known.length > 0 ? ` The latest campaigns are ${known.join(', ')}.` : ''}`,
	);
}

/** Adds a hint if nothing was recorded of a campaign that was sent: then everybody counts as not having read it. */
export function addHintOnRecording({ hints }: CampaignTables, messages: CampaignMessage[]): void {
	const isRecorded = (one: CampaignMessage) =>
		one.deliveredAt ?? one.readAt ?? one.failedAt ?? one.repliedAt ?? one.optedOutAt;
	const recorded = new Map<string, boolean>();
	for (const one of messages)
		if (isSent(one) && !recorded.get(one.campaign))
			recorded.set(one.campaign, isRecorded(one) !== undefined);
	const names = [...recorded.keys()].filter((name) => !recorded.get(name));
	if (names.length === 0) return;
	const shown = names.slice(-maxShown).map((name) => `"${quoted(name)}"`);
	const more = names.length > maxShown ? ` and ${names.length - maxShown} more` : '';
	hints.add(
		`No receipt and no reply is recorded of ${shown.join(', ')}${more}, so nothing counts as delivered, read or replied to. Publish the example Campaign results: from then on, it records them.`,
	);
}

async function latestNames(log: Table, isOwn: CampaignTables['isOwn']): Promise<string[]> {
	const last = Number((await log.last())?.id ?? 0);
	const names: string[] = [];
	for await (const part of log.readAll(Math.max(0, last - latestRows)))
		names.unshift(...part.filter(isOwn).map(nameOf).filter(Boolean).reverse());
	return uniq(names)
		.slice(0, maxNames)
		.map((name) => `"${quoted(name)}"`);
}
