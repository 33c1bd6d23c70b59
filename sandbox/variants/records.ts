/** Records and events of a service with other conventions: their fields, identifiers, phone numbers and times. */
import { groupBy, isPlainObject, omit, pick } from 'lodash';
import { endpoints, type EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import type { Template, TemplateComponent } from '../state/templates';
import type { Webhook } from '../state/webhooks';
import type { Choice } from '.';

const specialResources: Record<string, string> = {
	send: 'messages',
	template: 'messages',
	me: 'accounts',
	token: 'tokens',
};

/** The plural name of an endpoint's records, e.g. `contacts`. */
export function resourceOf(name: EndpointName): string {
	const last = endpoints[name].path.replace('/:id', '').split('/').at(-1) ?? '';
	return specialResources[last] ?? last;
}

/** Records in the format of the service, which may split one record into several. */
export function describeRecords(choice: Choice, resource: string, records: unknown[]): unknown[] {
	if (resource === 'webhooks')
		return records.map((record) => describeWebhook(choice, record as Partial<Webhook>));
	if (resource !== 'templates') return records;
	const templates = records.map((record) => describeTemplate(choice, record as Template));
	if (choice['template-languages'] === 'records') return templates;
	const own = ['language', 'status', 'components'];
	return Object.values(groupBy(templates, 'name')).map((languages) => ({
		...omit(languages[0], own),
		languages: languages.map((template) => pick(template, ['id', ...own])),
	}));
}

/** A response without a URL is no webhook. */
function describeWebhook(choice: Choice, { url, events, ...others }: Partial<Webhook>): object {
	if (!url || !events) return others;
	const forms = { array: { events }, string: { events: events.join(',') }, absent: {} };
	return { ...others, [choice['webhook-url']]: url, ...forms[choice['webhook-events']] };
}

const variableNames = {
	named: ['first_name', 'company', 'day'],
	scripts: ['größe', ' 名前 ', 'día'],
};
const statusNames = {
	APPROVED: 'Active - Quality pending',
	PENDING: 'In review',
	REJECTED: 'Rejected',
};

/** One template as a response shows it. */
export function describeTemplate(choice: Choice, template: Template): object {
	const { status } = template;
	const described = {
		...template,
		status: choice['template-status'] === 'quality' ? statusNames[status] : status,
		components: template.components.map((component) => describeComponent(choice, component)),
	};
	const shown = choice['template-status'] === 'absent' ? omit(described, 'status') : described;
	return choice['template-content'] === 'hidden'
		? pick(shown, ['id', 'name', 'language', 'status'])
		: shown;
}

function describeComponent(choice: Choice, component: TemplateComponent): TemplateComponent {
	const kind = choice['template-variables'];
	const named = kind === 'numbered' ? component : withNames(component, variableNames[kind]);
	if (choice['template-case'] === 'upper') return named;
	const lower = <T extends string | undefined>(text: T) => text?.toLowerCase() as T;
	const buttons = named.buttons?.map((button) => ({ ...button, type: lower(button.type) }));
	return {
		...named,
		type: lower(named.type),
		...(named.format && { format: lower(named.format) }),
		...(buttons && { buttons }),
	};
}

function withNames(component: TemplateComponent, names: string[]): TemplateComponent {
	const text = JSON.stringify(component).replace(
		/\{\{(\d+)\}\}/g,
		(_, number: string) => `{{${names[Number(number) - 1] ?? `value_${number}`}}}`,
	);
	return JSON.parse(text) as TemplateComponent;
}

const timeKeys = ['timestamp', 'createdAt', 'updatedAt'];
const phoneKeys = ['phone', 'from', 'to'];

/** Rewrites values on their way out, and identifiers on their way in. */
export class Wording {
	private readonly numbers = new Map<string, number>();
	private readonly originals = new Map<string, string>();

	constructor(private readonly choice: Choice) {}

	/** A record, a list of them, or what holds some, in the service's words. @param resource e.g. `contacts` */
	out(value: unknown, resource: string): unknown {
		const kind = resource.replace(/s$/, '');
		const key = this.choice['id-key'];
		const others = { snake: `${kind}_id`, camel: `${kind}Id`, messageId: 'id' };
		const isOwn = key === 'messageId' && kind === 'message';
		const idKey = isOwn || !(key in others) ? key : others[key as keyof typeof others];
		return this.rewrite(value, idKey);
	}

	/** The sandbox's identifier for one that the service has shown. */
	in(id: string): string {
		return this.originals.get(id) ?? id;
	}

	private rewrite(value: unknown, idKey: string): unknown {
		if (Array.isArray(value)) return value.map((entry) => this.rewrite(entry, idKey));
		if (!isPlainObject(value)) return value;
		const fields = Object.entries(value as object).flatMap(([key, entry]) => {
			const written = this.write(key, entry, idKey);
			return written === undefined ? [] : [[key === 'id' ? idKey : key, written]];
		});
		return Object.fromEntries(fields) as object;
	}

	private write(key: string, value: unknown, idKey: string): unknown {
		if (typeof value !== 'string') return this.rewrite(value, idKey);
		if (timeKeys.includes(key)) return this.time(value);
		if (/^id$|Id$/.test(key)) return this.id(value);
		const isShort = phoneKeys.includes(key) && this.choice['phone-numbers'] === 'digits';
		return isShort ? value.replace(/^\+/, '') : value;
	}

	private id(id: string): string | number {
		if (this.choice['id-type'] === 'string') return id;
		const number = this.numbers.get(id) ?? 1001 + this.numbers.size;
		this.numbers.set(id, number);
		this.originals.set(String(number), id);
		return number;
	}

	private time(value: string): string | number | undefined {
		const ms = Date.parse(value);
		const forms = {
			iso: value,
			seconds: Math.floor(ms / 1000),
			milliseconds: ms,
			absent: undefined,
		};
		return forms[this.choice['time-format']];
	}
}

/** An event as the sandbox itself has it. */
export interface Envelope {
	event: string;
	data: Record<string, unknown>;
}

/** An event on its way to a webhook. */
export interface OutgoingEvent extends Envelope {
	id: string;
	webhookId: string;
	createdAt: string;
	/** The attempts before this one. */
	attempts: readonly unknown[];
}

const receipt = /^message\.(sent|delivered|read|failed)$/;

/** The names of a receipt's event; those that name it by a status have it in the data. */
function nameReceipt(form: Choice['receipt-names'], status: string): string {
	const capital = `${status[0]?.toUpperCase()}${status.slice(1)}`;
	return {
		dotted: `message.${status}`,
		underscored: `message_${status}`,
		camel: `message${capital}`,
		upper: `MESSAGE_${status.toUpperCase()}`,
		bare: status,
		status: 'message.status',
		update: 'message.updated',
		receipt: 'delivery_receipt',
		nested: 'message.status',
	}[form];
}

/** An event in the words of the service. */
export function describeEvent(choice: Choice, { event, data }: Envelope): Envelope {
	const status = receipt.exec(event)?.[1];
	if (status) return describeReceipt(choice['receipt-names'], status, data);
	return { event, data: 'text' in data ? placeText(choice['event-text'], data) : data };
}

function describeReceipt(
	form: Choice['receipt-names'],
	status: string,
	data: Envelope['data'],
): Envelope {
	const event = nameReceipt(form, status);
	const others = omit(data, 'status');
	if (form === 'nested') return { event, data: { message: { ...others, status } } };
	if (form === 'update') return { event, data: { ...others, status: status.toUpperCase() } };
	const saysStatus = ['dotted', 'status', 'receipt'].includes(form);
	return { event, data: saysStatus ? { ...others, status } : others };
}

function placeText(
	form: Choice['event-text'],
	{ text, id, ...others }: Envelope['data'],
): Envelope['data'] {
	return {
		flat: { id, ...others, text },
		body: { id, ...others, text: { body: text } },
		nested: { ...others, message: { id, type: 'text', text } },
		content: { ...others, message: { id, content: { type: 'text', text } } },
	}[form];
}

/** An event with the fields beside `event` and `data`. */
export function extendEvent(
	choice: Choice,
	event: Envelope,
	{ id, createdAt, attempts }: Pick<OutgoingEvent, 'id' | 'createdAt' | 'attempts'>,
): Envelope {
	const beside = {
		id,
		timestamp: createdAt,
		apiVersion: 'v1',
		accountId: 'acc_sandbox',
		attempt: attempts.length + 1,
	};
	return choice['event-envelope'] === 'extended' ? { ...beside, ...event } : event;
}

/** The body of a delivery; without batches it has the last event alone. */
export function wrapEvents(choice: Choice, events: unknown[]): unknown {
	return { single: events.at(-1), array: events, wrapped: { events } }[choice['event-batch']];
}
