import { BoundedMap } from '../../boundedMap';
import { type CampaignEvent, readCampaignEvent } from '../../campaign/events';
import { isOther } from '../../campaign/otherMessages';
import { recordOptOuts } from '../../campaign/optOutTable';
import { type Recorded, Recorder } from '../../campaign/recorder';
import { checkColumns } from '../../campaign/tables';
import { yieldToN8n } from '../../yieldToN8n';
import { booleanField, collectionField } from '../fields';
import { tableOperation } from '../localOperation';

/** By the ID of the campaign log and the account. */
const recorders = new BoundedMap<string, Recorder>({ maxSize: 100 });
const columns = ['deliveredAt', 'readAt', 'failedAt', 'repliedAt', 'reply', 'optedOutAt'];

/** Records receipts, replies and opt-outs. */
export const recordEvents = tableOperation({
	resource: 'campaign',
	name: 'Record Events',
	value: 'recordEvents',
	action: 'Record events of campaigns',
	description:
		'Record receipts and replies of Business Messaging Trigger in the campaign log, and STOP and START in the table Opt-outs',
	fields: [
		collectionField({
			displayName: 'Options',
			name: 'options',
			placeholder: 'Add Option',
			fields: [
				booleanField({
					displayName: 'Send Failed Messages Again',
					name: 'sendsAgain',
					default: true,
					description:
						'Whether the next run of a campaign sends a message again that failed after the service had accepted it',
				}),
			],
		}),
	],
	read: ({ options: { sendsAgain = true } }, _, input) => ({
		input,
		sendsAgain,
		event: readCampaignEvent(input),
	}),
	runAll: async (tables, asked) => {
		const events = asked.flatMap(({ event }) => event ?? []);
		const log = await tables.log();
		if (log) checkColumns(log, columns);
		const optOuts = await recordOptOuts(tables, events);
		const { now, pause, isOwn } = tables;
		const clock = { now, elapsed: () => performance.now(), pause, yieldNow: yieldToN8n() };
		const run = { ...clock, isOwn, isOther, ...asked[0] };
		const recorder = log && recorders.getOrSet(`${log.id} ${tables.account}`, () => new Recorder());
		const found = log && recorder ? await recorder.record({ ...run, table: log }, events) : [];
		const recorded = new Map<CampaignEvent | undefined, Recorded | undefined>(
			events.map((event, index) => [event, found[index]]),
		);
		return asked.map(({ input, event }) => {
			const { message, isNew = false } = recorded.get(event) ?? {};
			const { campaign = null, variant = null, name = null } = message ?? {};
			const isRecorded = event && (optOuts.get(event) ?? isNew);
			const facts = { found: message !== undefined, recorded: isRecorded ? event.kind : null };
			return [{ ...input, campaign, variant, name, ...facts }];
		});
	},
});
