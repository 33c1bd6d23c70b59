/** What a run would send, without sending it. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { asText } from '../api/read';
import { previewOf } from '../operations/message/preview';
import { sendResult } from '../operations/operation';
import type { TemplateList } from '../transport/templateList';
import { FrequencyCap } from './frequencyCap';
import { type ValidItem, skip } from './item';
import { SendOnce } from './sendOnce';

/** Gives each item the message that would be sent, or why it would be skipped. @throws what n8n's database throws */
export async function previewItems(
	context: IExecuteFunctions,
	items: ValidItem[],
	prepared: unknown,
): Promise<void> {
	const claims = await new SendOnce(context).look(items);
	const isNew = claims.map((claim) => claim === 'new');
	const isAllowed = await new FrequencyCap(context).look(items, isNew);
	items.forEach((item, index) => {
		const { request } = item;
		const claim = claims[index];
		if (!isAllowed[index]) item.outcome = skip(item, 'frequencyCap');
		else if (claim !== 'new')
			item.outcome = skip(item, claim, { campaign: request.campaign?.name });
		else {
			const shown = sendResult(asText(request.body?.to), 'preview');
			const message = previewOf(request, prepared as TemplateList | undefined);
			item.outcome = { records: [{ ...shown, ...message }] };
		}
	});
}
