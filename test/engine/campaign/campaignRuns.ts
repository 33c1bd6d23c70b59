/** Campaigns that are sent in n8n's engine, and the operations on their data tables. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { RunOptions, RunResult } from '../../../harness/engine/execution';
import { type Service, campaign, people } from '../../../harness/engine/service';

/** The output of a run. */
export const jsonOf = ({ outputs }: RunResult): IDataObject[] =>
	(outputs[0] ?? []).map(({ json }) => json);

/** What tests do with campaigns. */
export const campaignRuns = (service: Service) => {
	const rows = () => service.engine.tables.rows();
	const operate = async (operation: string, options: RunOptions = {}) =>
		await service.run({
			...options,
			parameters: { resource: 'campaign', operation, ...options.parameters },
		});
	return {
		rows,
		/** Sends a campaign to people with the numbers +15550001000 and so on. */
		send: async (count: number, parameters: INodeParameters = {}, options: RunOptions = {}) =>
			await service.run({
				items: people(count),
				...options,
				parameters: { ...campaign, sendOnce: true, campaign: 'sale', ...parameters },
			}),
		operate,
		record: async (items: IDataObject[], options: RunOptions = {}) =>
			await operate('recordEvents', { items, ...options }),
		/** A receipt, as the trigger outputs it. */
		receipt: (kind: string, messageId: unknown, more: IDataObject = {}): IDataObject => ({
			...{ event: `message.${kind}`, to: '+15550009999', messageId: messageId as string },
			...{ status: kind, time: '2030-01-01T00:00:00Z', ...more },
		}),
		/** What somebody writes. */
		reply: (from: string, text: string, intent?: string): IDataObject => ({
			...{ event: 'message.received', from, text, ...(intent && { intent }) },
			...{ messageId: `in ${text}`, time: '2030-01-01T00:00:00Z' },
		}),
		/** The ID of the message to the person with this number in the list. */
		idOf: (n: number) => rows().find(({ phone }) => phone === `+1555000${1000 + n}`)?.messageId,
		rowOf: (n: number) => rows().find(({ phone }) => phone === `+1555000${1000 + n}`)!,
	};
};
