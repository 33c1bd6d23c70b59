/** What a run would send, without sending it. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { asText } from '../api/read';
import { previewOf } from '../operations/message/preview';
import { type Operation, sendResult } from '../operations/operation';
import type { TemplateList } from '../transport/templateList';
import { skippedRecord } from './audience';
import { FrequencyCap } from './frequencyCap';
import type { ValidItem } from './item';
import { SendOnce } from './sendOnce';

/** Gives each item the message that would be sent, or why it would be skipped. @throws what n8n's database throws */
export async function previewItems(
	context: IExecuteFunctions,
	operation: Operation,
	items: ValidItem[],
	prepared: unknown,
): Promise<void> {
	const isAllowed = await new FrequencyCap(context).look(items);
	const claims = await new SendOnce(context, operation).look(items);
	items.forEach((item, index) => {
		const reason = isAllowed[index] ? claims[index] : 'frequencyCap';
		if (reason !== 'new') {
			item.outcome = { records: [skippedRecord(item, reason)], isLeftOut: true };
			return;
		}
		const to = asText(item.request.body?.to);
		const message = previewOf(item.request, prepared as TemplateList | undefined);
		item.outcome = { records: [{ ...sendResult(to, 'preview'), ...message }] };
	});
}
