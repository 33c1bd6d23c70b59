/**
 * Translates between the contract and the variant of the service that the sandbox plays: requests on their way in,
 * responses and events on their way out. The rest of the sandbox knows nothing of variants.
 */
import { endpoints, routeOf, type EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { answers } from '../answers';
import type { HttpError } from '../errors';
import type { Settings } from '../options';
import type { Page } from '../paging';
import type { Contacts } from '../state/contacts';
import type { Template } from '../state/templates';
import type { Webhook, Webhooks } from '../state/webhooks';
import {
	describeWebhook,
	isListing,
	wrapList,
	wrapRecord,
	writeAnswer,
	type Answer,
} from './answers';
import { challenge } from './challenge';
import { errorAnswer } from './errors';
import {
	describeEvent,
	extendEvent,
	wrapEvents,
	type Envelope,
	type OutgoingEvent,
} from './events';
import { ConcurrentEdits, listPage, type PageQuery } from './listings';
import { readRequest, type Asked } from './requests';
import { resourceOf } from './resources';
import { describeTemplate, describeTemplates } from './templates';
import { Wording } from './wording';

/** The largest page of a service that honours `limit`. */
const honouredPageSize = 1_000;

/** The settings that variation points decide. */
export function withVariants(settings: Settings): Settings {
	const { variants } = settings;
	const all = Number.MAX_SAFE_INTEGER;
	return {
		...settings,
		...(variants.endpoints === 'all' && { allEndpointsOnBothPaths: true }),
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
	private readonly wording: Wording;
	private readonly edits: ConcurrentEdits;
	private readonly lastEvents = new Map<string, unknown>();

	constructor(private readonly environment: Environment) {
		this.wording = new Wording(this.choice);
		this.edits = new ConcurrentEdits(this.choice, environment.contacts);
	}

	/** A request in the words of the contract. @throws HttpError for what the service does not take */
	async request(name: EndpointName, asked: Asked): Promise<Asked> {
		const { settings, webhooks } = this.environment;
		const request = readRequest(settings, webhooks.all, name, asked);
		if (name === 'createWebhook')
			await challenge(this.choice, (request.body as { url: unknown }).url);
		return { ...request, id: this.wording.in(request.id) };
	}

	/** The result of a call; a listing is cut into the service's own pages. */
	result(
		name: EndpointName,
		query: PageQuery | undefined,
		handle: (query: PageQuery | undefined) => unknown,
	): unknown {
		if (!query || !name.startsWith('list')) return handle(query);
		if (name === 'listContacts') this.edits.beforePage(query);
		return listPage(this.choice, query, (page) => handle({ ...query, page }) as Page<unknown>);
	}

	/** The answer to a call. */
	answer(name: EndpointName, result: unknown): Answer {
		const { status } = answers[name];
		const body = this.describe(name, result);
		return routeOf(endpoints[name], '/v1').method === 'GET'
			? { status, body }
			: writeAnswer(this.choice, name, status, body);
	}

	/** The answer to a call that failed. */
	error(error: HttpError): Answer {
		return errorAnswer(this.choice, error);
	}

	/** The body of a delivery. */
	event({ id, createdAt, webhookId, event, data, attempts }: OutgoingEvent): unknown {
		const described = this.wording.out(
			describeEvent(this.choice, { event, data }),
			event.startsWith('message.'),
		) as Envelope;
		const whole = extendEvent(this.choice, described, { id, createdAt, attempts });
		const before = this.lastEvents.get(webhookId);
		this.lastEvents.set(webhookId, whole);
		return wrapEvents(this.choice, before === undefined ? [whole] : [before, whole]);
	}

	private get choice() {
		return this.environment.settings.variants;
	}

	private describe(name: EndpointName, result: unknown): unknown {
		const resource = resourceOf(name);
		const isList = isListing(result);
		const records = isList
			? this.describeList(resource, result.data)
			: [this.describeOne(resource, result)];
		const worded = this.wording.out(records, resource === 'messages') as unknown[];
		return isList
			? wrapList(this.choice, name, { ...result, data: worded })
			: wrapRecord(this.choice, name, worded[0]);
	}

	private describeList(resource: string, records: unknown[]): unknown[] {
		return resource === 'templates'
			? describeTemplates(this.choice, records as Template[])
			: records.map((record) => this.describeOne(resource, record));
	}

	private describeOne(resource: string, record: unknown): unknown {
		if (resource === 'templates') return describeTemplate(this.choice, record as Template);
		return resource === 'webhooks' && (record as Partial<Webhook>).url
			? describeWebhook(this.choice, record as Webhook)
			: record;
	}
}
