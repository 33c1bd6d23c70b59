import { mapInTurns } from '../yieldToN8n';
import { textOrJson } from '../jsonValues';
import { previewOf } from '../operations/sending/messagePreview';
import { sendResult } from '../operations/operation';
import type { TemplateList } from '../transport/templateList';
import type { ValidItem } from './item';

/** Gives each item the message that would be sent. */
export async function previewItems(items: ValidItem[], prepared: unknown): Promise<void> {
	await mapInTurns(items, (item) => {
		const { request } = item;
		const shown = sendResult(textOrJson(request.body?.to), 'preview');
		const message = previewOf(request, prepared as TemplateList | undefined);
		item.outcome = { records: [{ ...shown, ...message }] };
	});
}
