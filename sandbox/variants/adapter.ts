/**
 * Translates requests, responses and events between the contract and the simulated variant of the service. No other
 * part of the sandbox knows about variants.
 */
import {
	endpoints,
	recordName,
	routeOf,
	type EndpointName,
} from '../../nodes/BusinessMessaging/api/endpoints';
import type { Delivery } from '../deliveries';
import type { HttpError } from '../errorResponses';
import type { Settings } from '../options';
import type { Page } from '../schemas';
import type { Contacts } from '../state/contacts';
import type { Choice } from '.';
import { describeList, Pages, type PageQuery } from './lists';
import { describeEvent, describeRecords, Wording } from './records';
import { readRequest, type Asked } from './requests';

/** A response or an event as it is sent. */
export interface Answer {
	status: number;
	/** JSON; a text, which is sent as it is; or nothing. */
	body: unknown;
	/** Content type, if the body is a text. */
	type?: string;
	headers?: Record<string, string>;
}

/** The adapter of one state of the sandbox. */
export class VariantAdapter {
	private readonly choice: Choice;
	private readonly wording: Wording;
	private readonly pages: Pages;

	constructor(
		private readonly settings: Settings,
		contacts: Contacts,
	) {
		this.choice = settings.variants;
		this.wording = new Wording(this.choice);
		this.pages = new Pages(this.choice, contacts);
	}

	/** A request in the format of the contract. @throws HttpError if the service refuses it */
	async request(name: EndpointName, asked: Asked): Promise<Asked> {
		const request = await readRequest(this.settings, name, asked);
		return { ...request, id: this.wording.in(request.id) };
	}

	/** The sandbox's ID for an ID that the service has shown. */
	idOf(shown: unknown): string {
		return this.wording.in(String(shown));
	}

	/** Whether a call empties the fields of a contact that it does not contain. */
	replacesContact(method: string): boolean {
		return this.choice['contact-put'] === 'replaces' && method === 'PUT';
	}

	/** The result of a call; a list is cut into the pages of the variant. */
	result(
		name: EndpointName,
		query: PageQuery | undefined,
		handle: (query: PageQuery | undefined) => unknown,
	): unknown {
		if (!query || !name.startsWith('list')) return handle(query);
		return this.pages.give(query, (page) => handle({ ...query, page }) as Page<unknown>);
	}

	/** The response to a call that succeeded. @param status that of the contract */
	answer(name: EndpointName, result: unknown, status: number): Answer {
		const kind = recordName(endpoints[name]);
		const describe = (records: unknown[]) =>
			this.wording.out(describeRecords(this.choice, kind, records), kind) as unknown[];
		const list = result as Partial<Page<unknown>>;
		if (list.data) {
			const data = describe(list.data);
			return { status, ...describeList(this.choice, kind, { ...list, data }) };
		}
		const [record] = describe([result]);
		const forms = {
			bare: record,
			data: { data: record },
			result: { result: record },
			listed: { [`${kind}s`]: [record] },
		};
		const body = forms[this.choice['record-envelope']];
		const isRead = routeOf(endpoints[name], '/v1').method === 'GET';
		if (isRead) return { status, body };
		const answer = this.writeAnswer(status, body);
		return kind === 'message' && answer.body === body ? this.sendAnswer(answer, record) : answer;
	}

	/** The response to a call that failed. */
	error(error: HttpError, name?: EndpointName): Answer {
		const { status, message, field = 'request', headers, body } = error;
		const refusal = this.choice['send-refusal'];
		const isSend = name === 'sendText' || name === 'sendTemplate';
		if (isSend && refusal !== 'usual' && [400, 402, 409, 422].includes(status)) {
			const forms = {
				failed: { id: `refused-${status}`, status: 'failed', error: message },
				code: { code: 'NOT_ACCEPTED', message },
				flag: { Success: 'false', message },
			};
			return { status: 200, body: forms[refusal], headers };
		}
		const shape = this.choice['error-shape'];
		if (shape === 'text') return { status, body: message, type: 'text/plain', headers };
		const shown = shape === 'fields' ? { errors: { [field]: [message] } } : body;
		const isHidden = this.choice['error-status'] === 'ok' && [400, 409, 422].includes(status);
		return isHidden
			? { status: 200, body: { success: false, ...shown }, headers }
			: { status, body: shown, headers };
	}

	/** The body of a delivery. */
	event({ event, data }: Delivery): unknown {
		const kind = event.startsWith('message.') ? 'message' : 'event';
		return this.wording.out(describeEvent(this.choice, { event, data }), kind);
	}

	private sendAnswer({ status, body }: Answer, record: unknown): Answer {
		const { 'id-key': key } = this.choice;
		const id = (record as Record<string, string | number | bigint>)[
			key === 'snake' ? 'message_id' : key
		];
		const forms: Record<Choice['send-response'], Answer> = {
			record: { status, body },
			status: { status, body: { status: 'queued' } },
			location: { status, body: undefined, headers: { location: `/v1/messages/${id}` } },
			id: { status, body: String(id), type: 'text/plain' },
		};
		return forms[this.choice['send-response']];
	}

	private writeAnswer(usual: number, record: unknown): Answer {
		const { 'success-status': chosen, 'success-body': body } = this.choice;
		const status = chosen === 'usual' ? usual : Number(chosen);
		if (status === 204) return { status, body: undefined };
		return body === 'text' ? { status, body: 'OK', type: 'text/plain' } : { status, body: record };
	}
}
