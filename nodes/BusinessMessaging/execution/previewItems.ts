import { mapInTurns } from '../yieldToN8n';
import { textOrJson } from '../jsonValues';
import { previewOf } from '../operations/sending/messagePreview';
import { sendResult } from '../operations/operation';
import type { TemplateList } from '../transport/templateList';
import { type Item, hasFailed, inState } from './item';

/** Gives each item the message that would be sent, also one that can only be sent later. */
export async function previewItems(items: Item[], prepared: unknown): Promise<void> {
	const shown = items.filter(inState('pending', 'leftOut'));
	await mapInTurns(shown, (item) => {
		const { request, outcome } = item;
		const [record] = outcome && !hasFailed(outcome) ? outcome.records : [];
		if (record && record.reason !== 'outsideSendWindow') return;
		const result = record ?? sendResult(textOrJson(request.body?.to), 'preview');
		const message = previewOf(request, prepared as TemplateList | undefined);
		item.outcome = { ...outcome, records: [{ ...result, ...message }] };
	});
}
