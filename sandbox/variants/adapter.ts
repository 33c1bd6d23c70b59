/**
 * Translates between the contract and the variant of the service that the sandbox plays: requests on their way in,
 * responses and events on their way out. The rest of the sandbox knows nothing of variants.
 */
import { endpoints, routeOf, type EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { answers, type Page } from '../answers';
import type { HttpError } from '../errors';
import type { Settings } from '../options';
import type { Contacts } from '../state/contacts';
import type { Template } from '../state/templates';
import type { Webhooks } from '../state/webhooks';
import type { Choice } from '.';
import { errorAnswer, type Answer } from './errors';
import {
	describeEvent,
	extendEvent,
	wrapEvents,
	type Envelope,
	type OutgoingEvent,
	describeRecords,
	describeTemplate,
	resourceOf,
	Wording,
} from './records';
import { describeList, Pages, type PageQuery } from './lists';
import { readRequest, type Asked } from './requests';

/** The largest page of a service that honours `limit`. */
const honouredPageSize = 1_000;

/** The settings that variation points decide. */
export function withVariants(settings: Settings): Settings {
	const { variants } = settings;
	const all = Number.MAX_SAFE_INTEGER;
	return {
		...settings,
		...(variants['page-size'] === 'honoured' && { pageSizeCap: honouredPageSize }),
		...(variants.paging === 'none' && { pageSizeCap: all, defaultPageSize: all }),
	};
}

interface Environment {
	settings: Settings;
	contacts: Contacts;
	webhooks: Webhooks;
}

/** The adapter of one state of the sandbox. */
export class VariantAdapter {
	private readonly choice: Choice;
	private readonly wording: Wording;
	private readonly pages: Pages;
	private readonly lastEvents = new Map<string, unknown>();

	constructor(private readonly environment: Environment) {
		this.choice = environment.settings.variants;
		this.wording = new Wording(this.choice);
		this.pages = new Pages(this.choice, environment.contacts);
	}

	/** A request in the words of the contract. @throws HttpError for what the service does not take */
	async request(name: EndpointName, asked: Asked): Promise<Asked> {
		const { settings, webhooks } = this.environment;
		const request = await readRequest(settings, webhooks.all, name, asked);
		return { ...request, id: this.wording.in(request.id) };
	}

	/** The result of a call; a list is cut into the service's own pages. */
	result(
		name: EndpointName,
		query: PageQuery | undefined,
		handle: (query: PageQuery | undefined) => unknown,
	): unknown {
		if (!query || !name.startsWith('list')) return handle(query);
		return this.pages.give(query, (page) => handle({ ...query, page }) as Page<unknown>);
	}

	/** The response to a call. */
	answer(name: EndpointName, result: unknown): Answer {
		const { status } = answers[name];
		const resource = resourceOf(name);
		const list = result as Partial<Page<unknown>>;
		if (Array.isArray(list.data)) {
			const data = this.wording.out(describeRecords(this.choice, resource, list.data), resource);
			return {
				status,
				...describeList(this.choice, resource, { ...list, data: data as unknown[] }),
			};
		}
		const isTemplate = resource === 'templates';
		const [described] = isTemplate
			? [describeTemplate(this.choice, result as Template)]
			: describeRecords(this.choice, resource, [result]);
		const record = this.wrapRecord(resource, this.wording.out(described, resource));
		const isRead = routeOf(endpoints[name], '/v1').method === 'GET';
		return isRead ? { status, body: record } : this.writeAnswer(name, status, record);
	}

	/** The response to a call that failed. */
	error(error: HttpError): Answer {
		return errorAnswer(this.choice, error);
	}

	/** The body of a delivery. */
	event({ id, createdAt, webhookId, event, data, attempts }: OutgoingEvent): unknown {
		const resource = event.startsWith('message.') ? 'messages' : 'events';
		const described = this.wording.out(describeEvent(this.choice, { event, data }), resource);
		const beside = { id, createdAt, attempts };
		const whole = extendEvent(this.choice, described as Envelope, beside);
		const before = this.lastEvents.get(webhookId);
		this.lastEvents.set(webhookId, whole);
		return wrapEvents(this.choice, before === undefined ? [whole] : [before, whole]);
	}

	private wrapRecord(resource: string, record: unknown): unknown {
		return {
			bare: record,
			data: { data: record },
			named: { [resource.replace(/s$/, '')]: record },
			listed: { [resource]: [record] },
		}[this.choice['record-envelope']];
	}

	private writeAnswer(name: EndpointName, usual: number, record: unknown): Answer {
		const { choice } = this;
		const status = choice['success-status'] === 'usual' ? usual : Number(choice['success-status']);
		if (status === 204) return { status, body: undefined };
		const isNameless = name === 'createWebhook' && choice['webhook-answer'] === 'nameless';
		return {
			text: { status, body: 'OK', type: 'text/plain' },
			empty: { status, body: '', type: 'text/plain' },
			record: { status, body: isNameless ? { success: true } : record },
		}[choice['success-body']];
	}
}
