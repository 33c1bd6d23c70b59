/** Answers in the shapes of a service with other habits. */
import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import type { Page } from '../paging';
import type { Webhook } from '../state/webhooks';
import { resourceOf } from './resources';
import type { Choice } from './table';

/** What leaves the sandbox. */
export interface Answer {
	status: number;
	/** JSON, a text as it is, or nothing. */
	body: unknown;
	/** Content type of a text. */
	type?: string;
	headers?: Record<string, string>;
}

/** Whether an answer is a list of records; figures come as lists without pages. */
export function isListing(result: unknown): result is Partial<Page<unknown>> & { data: unknown[] } {
	return Array.isArray((result as { data?: unknown }).data);
}

/** A listing. */
export function wrapList(
	choice: Choice,
	name: EndpointName,
	{ data, ...numbers }: { data: unknown[]; page?: number },
): unknown {
	const form = choice['list-envelope'];
	if (form === 'bare') return data;
	const page =
		numbers.page === undefined
			? {}
			: { page: numbers.page - (choice['page-base'] === '0' ? 1 : 0) };
	const metadata = { ...numbers, ...page };
	const said = { flat: metadata, nested: { meta: metadata }, absent: {} }[choice['page-metadata']];
	const resource = resourceOf(name);
	const lists = {
		data: { data },
		items: { items: data },
		results: { results: data },
		named: { [resource]: data },
		nested: { data: { items: data } },
		embedded: { _embedded: { [resource]: data } },
	};
	return { ...lists[form], ...said };
}

/** A single record. */
export function wrapRecord(choice: Choice, name: EndpointName, record: unknown): unknown {
	const resource = resourceOf(name);
	return {
		bare: record,
		data: { data: record },
		named: { [resource.replace(/s$/, '')]: record },
		listed: { [resource]: [record] },
	}[choice['record-envelope']];
}

/** What a write answers. */
export function writeAnswer(
	choice: Choice,
	name: EndpointName,
	status: number,
	body: unknown,
): Answer {
	const chosen = choice['success-status'] === 'usual' ? status : Number(choice['success-status']);
	if (chosen === 204) return { status: 204, body: undefined };
	if (choice['success-body'] === 'text') return { status: chosen, body: 'OK', type: 'text/plain' };
	const isNameless = name === 'createWebhook' && choice['webhook-answer'] === 'nameless';
	const answered = isNameless ? { success: true } : body;
	return {
		status: chosen,
		body: choice['success-body'] === 'empty' ? '' : answered,
		...(choice['success-body'] === 'empty' && { type: 'text/plain' }),
	};
}

/** A webhook in the fields of the service. */
export function describeWebhook(choice: Choice, { url, events, ...others }: Webhook): object {
	const forms = { array: { events }, string: { events: events.join(',') }, absent: {} };
	return { ...others, [choice['webhook-url']]: url, ...forms[choice['webhook-events']] };
}
