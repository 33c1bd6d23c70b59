/** What a run would send, without sending it and without reading or writing n8n's database. */
import { textOrJson } from '../jsonValues';
import { previewOf } from '../operations/sending/messagePreview';
import { sendResult } from '../operations/operation';
import type { TemplateList } from '../transport/templateList';
import { type ValidItem, skip } from './item';

/** Gives each item the message that would be sent. @returns a hint on what a preview does not show */
export function previewItems(items: ValidItem[], prepared: unknown): string | undefined {
	for (const item of items) {
		const { request } = item;
		const { campaign } = request;
		if (campaign?.clearsHistory) {
			item.outcome = skip(item, 'historyCleared', { campaign: campaign.name });
			continue;
		}
		const shown = sendResult(textOrJson(request.body?.to), 'preview');
		const message = previewOf(request, prepared as TemplateList | undefined);
		item.outcome = { records: [{ ...shown, ...message }] };
	}
	const looks = items.some(({ request }) => request.campaign ?? request.audience?.cap);
	return looks
		? 'A preview does not look at Send Once and Frequency Cap. It also shows people who would be skipped by them.'
		: undefined;
}
