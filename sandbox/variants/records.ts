/** Records and events of a service with other conventions: their fields, identifiers, phone numbers and times. */
import { groupBy, isPlainObject, mapKeys, omit, pick } from 'lodash';
import type { Template } from '../state/templates';
import type { Webhook } from '../state/webhooks';
import type { Choice } from '.';

/** Records in the format of the service, which may write several as one. @param kind what one is called, e.g. `contact` */
export function describeRecords(choice: Choice, kind: string, records: unknown[]): unknown[] {
	if (kind === 'webhook')
		return records.map((record) => describeWebhook(choice, record as Partial<Webhook>));
	if (kind !== 'template') return records;
	const templates = records.map((record) => describeTemplate(choice, record as Template));
	return choice['template-form'] === 'languages' ? joinLanguages(templates) : templates;
}

/** A response without a URL is no webhook. */
function describeWebhook(choice: Choice, { url, events, ...others }: Partial<Webhook>): object {
	if (!url || !events) return others;
	const forms = { array: { events }, string: { events: events.join(',') }, absent: {} };
	return { ...others, [choice['webhook-url']]: url, ...forms[choice['webhook-events']] };
}

const variableNames = ['größe', ' 名前 ', 'día'];
const statusNames = {
	APPROVED: 'Active - Quality pending',
	PENDING: 'In review',
	REJECTED: 'Rejected',
};

function describeTemplate(choice: Choice, template: Template): object {
	const { status } = template;
	const isQuality = choice['template-status'] === 'quality';
	const described = { ...template, status: isQuality ? statusNames[status] : status };
	const components = JSON.stringify(template.components);
	const lower = /(?<="(type|format)":)"\w+"/g;
	const rewritten: Partial<Record<Choice['template-form'], string>> = {
		lower: components.replace(lower, (name) => name.toLowerCase()),
		named: components.replace(/(?<={{)\d+(?=}})/g, (number) => variableNames[Number(number) - 1]),
	};
	const form = choice['template-form'];
	if (form === 'hidden') return pick(described, ['id', 'name', 'language', 'status']);
	return { ...described, components: JSON.parse(rewritten[form] ?? components) as unknown };
}

function joinLanguages(templates: object[]): object[] {
	const own = ['language', 'status', 'components'];
	return Object.values(groupBy(templates, 'name')).map((languages) => ({
		...omit(languages[0], own),
		languages: languages.map((template) => pick(template, ['id', ...own])),
	}));
}

const timeKeys = ['timestamp', 'createdAt', 'updatedAt'];
const phoneKeys = ['phone', 'from', 'to'];

/** Rewrites values on their way out, and identifiers on their way in. */
export class Wording {
	private readonly numbers = new Map<string, number>();
	private readonly originals = new Map<string, string>();

	constructor(private readonly choice: Choice) {}

	/** A record, a list of them, or what holds some, in the service's words. @param kind e.g. `contact` */
	out(value: unknown, kind: string): unknown {
		if (Array.isArray(value)) return value.map((entry) => this.out(entry, kind));
		if (!isPlainObject(value)) return value;
		const idKey = this.choice['id-key'] === 'snake' ? `${kind}_id` : this.choice['id-key'];
		const fields = Object.entries(value as object)
			.map(([key, entry]) => [key, this.write(key, entry, kind)] as const)
			.filter(([, entry]) => entry !== undefined);
		return mapKeys(Object.fromEntries(fields), (_, key) => (key === 'id' ? idKey : key));
	}

	/** The sandbox's identifier for one that the service has shown. */
	in(id: string): string {
		return this.originals.get(id) ?? id;
	}

	private write(key: string, value: unknown, kind: string): unknown {
		if (typeof value !== 'string') return this.out(value, kind);
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
		const seconds = Math.floor(Date.parse(value) / 1000);
		return { iso: value, seconds, absent: undefined }[this.choice['time-format']];
	}
}

/** An event as the sandbox itself has it. */
export interface Envelope {
	event: string;
	data: Record<string, unknown>;
}

/** An event in the words of the service. */
export function describeEvent(choice: Choice, { event, data }: Envelope): Envelope {
	const { status, ...others } = data;
	const isReceipt = /^message\.(sent|delivered|read|failed)$/.test(event);
	if (!isReceipt) return { event, data: placeText(choice['event-text'], data) };
	return {
		dotted: { event, data },
		upper: { event: event.toUpperCase().replace('.', '_'), data: others },
		nested: { event: 'message.status', data: { message: { ...others, status } } },
	}[choice['receipt-names']];
}

function placeText(form: Choice['event-text'], data: Envelope['data']): Envelope['data'] {
	if (!('text' in data)) return data;
	const { text, id, ...others } = data;
	return {
		flat: data,
		body: { ...data, text: { body: text } },
		content: { ...others, message: { id, content: { type: 'text', text } } },
	}[form];
}
