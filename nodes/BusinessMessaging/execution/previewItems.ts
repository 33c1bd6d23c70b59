/** What a run would send, without sending it and without reading or writing n8n's database. */
import { mapInTurns } from '../yieldToN8n';
import { textOrJson } from '../jsonValues';
import { previewOf } from '../operations/sending/messagePreview';
import { sendResult } from '../operations/operation';
import type { TemplateList } from '../transport/templateList';
import type { ValidItem } from './item';

/** Gives each item the message that would be sent. @returns a hint about what a preview does not show */
export async function previewItems(
	items: ValidItem[],
	prepared: unknown,
): Promise<string | undefined> {
	await mapInTurns(items, (item) => {
		const { request } = item;
		const shown = sendResult(textOrJson(request.body?.to), 'preview');
		const message = previewOf(request, prepared as TemplateList | undefined);
		item.outcome = { records: [{ ...shown, ...message }] };
	});
	const isUnchecked = items.some(
		({ request }) => request.rules?.campaign ?? request.rules?.audience?.cap,
	);
	return isUnchecked
		? 'A preview ignores Send Once and Frequency Cap. It also shows people whom these rules would skip.'
		: undefined;
}
