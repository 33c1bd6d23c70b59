/** Records of a service with other conventions: their fields, identifiers, phone numbers and times. */
import { groupBy, isPlainObject, omit, pick } from 'lodash';

import type { Choice } from '.';
import { endpoints, type EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import type { Template, TemplateComponent } from '../state/templates';
import type { Webhook } from '../state/webhooks';

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
