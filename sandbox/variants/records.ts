/** Records and events of a service with other conventions: fields, IDs, phone numbers and times. */
import { isPlainObject, mapKeys, mapValues, pick } from 'lodash';
import type { Template } from '../state/templates';
import type { Webhook } from '../state/webhooks';
import type { Choice } from '.';

/** Records in the format of the service. @param kind name of a record, e.g. `contact` */
export function describeRecords(choice: Choice, kind: string, records: unknown[]): unknown[] {
	if (kind === 'webhook')
		return records.map((record) => describeWebhook(choice, record as Partial<Webhook>));
	if (kind !== 'template') return records;
	return records.map((record) => describeTemplate(choice, record as Template));
}

/** A webhook in the format of the service. A record without a URL is not a webhook. */
function describeWebhook(choice: Choice, { url, events, ...others }: Partial<Webhook>): object {
	if (!url || !events) return others;
	const forms = {
		array: { events },
		records: { events: events.map((name) => ({ name, active: true })) },
		string: { events: events.join(',') },
		absent: {},
	};
	const shown = showUrl(choice, url);
	const address = shown === undefined ? {} : { [choice['webhook-url']]: shown };
	return { ...others, ...address, ...forms[choice['webhook-events']] };
}

function showUrl(choice: Choice, given: string): string | undefined {
	const url = new URL(given);
	switch (choice['webhook-listing']) {
		case 'as-given':
			return given;
		case 'slash':
			url.pathname += '/';
			return url.href;
		case 'encoded':
			url.pathname = url.pathname.replace(/o/g, '%6f');
			return url.href;
		case 'no-query':
			return given.split('?')[0];
		case 'masked':
			return given.replace(/=[^&]*/g, '=***');
		case 'hidden':
			return undefined;
	}
}

function describeTemplate(choice: Choice, template: Template): object {
	const form = choice['template-form'];
	if (form === 'hidden') return pick(template, ['id', 'name', 'language', 'status']);
	if (form === 'usual') return template;
	const components = JSON.stringify(template.components).replace(
		/(?<="(type|format)":)"\w+"/g,
		(name) => name.toLowerCase(),
	);
	return { ...template, components: JSON.parse(components) as unknown };
}

/** 2^53 + 1: odd numbers from this one on cannot be represented as JavaScript numbers. */
const beyondSafe = BigInt(2 ** 53) + BigInt(1);
const timeKeys = ['timestamp', 'occurred_at', 'createdAt', 'updatedAt'];
const phoneKeys = ['phone', 'from', 'to'];

/** Translates values that go out, and IDs that come in. */
export class Wording {
	private readonly numbers = new Map<string, number | bigint>();
	private readonly originals = new Map<string, string>();

	constructor(private readonly choice: Choice) {}

	/** A record, a list of records, or an object that contains some, in the format of the service. @param kind e.g. `contact` */
	out(value: unknown, kind: string): unknown {
		if (Array.isArray(value)) return value.map((entry) => this.out(entry, kind));
		if (!isPlainObject(value)) return value;
		const idKey = this.choice['id-key'] === 'snake' ? `${kind}_id` : this.choice['id-key'];
		const fields = mapValues(value as object, (entry, key) => this.write(key, entry, kind));
		return mapKeys(fields, (_, key) => (key === 'id' ? idKey : key));
	}

	/** The sandbox's ID for an ID that the service has shown. */
	in(id: string): string {
		return this.originals.get(id) ?? id;
	}

	private write(key: string, value: unknown, kind: string): unknown {
		if (typeof value !== 'string') return this.out(value, kind);
		const isSeconds = timeKeys.includes(key) && this.choice['time-format'] === 'seconds';
		if (isSeconds) return Math.floor(Date.parse(value) / 1000);
		if (/^id$|Id$/.test(key)) return this.id(value);
		const isShort = phoneKeys.includes(key) && this.choice['phone-numbers'] === 'digits';
		return isShort ? value.replace(/^\+/, '') : value;
	}

	private id(id: string): string | number | bigint {
		const type = this.choice['id-type'];
		if (type === 'string') return id;
		const next = 1001 + this.numbers.size;
		const number =
			this.numbers.get(id) ?? (type === 'large' ? beyondSafe + BigInt(2 * next) : next);
		this.numbers.set(id, number);
		this.originals.set(String(number), id);
		return number;
	}
}

/** An event in the format of the sandbox itself. */
export interface Envelope {
	event: string;
	data: Record<string, unknown>;
}

/** An event in the format of the service. */
export function describeEvent(choice: Choice, { event, data: given }: Envelope): Envelope {
	const data = describeTime(choice, describePhones(choice, given));
	const isReceipt = /^message\.(sent|delivered|read|failed)$/.test(event);
	if (isReceipt && choice['receipt-names'] === 'nested')
		return { event: 'message.status', data: { message: data } };
	const { text, id, ...others } = data;
	if (text === undefined || choice['event-text'] === 'flat') return { event, data };
	return { event, data: { ...others, message: { id, content: { type: 'text', text } } } };
}

function describePhones(choice: Choice, data: Envelope['data']): Envelope['data'] {
	const forms = {
		number: (phone: string) => phone,
		object: (phone: string) => ({ phone, name: 'Anna' }),
		prefixed: (phone: string) => `whatsapp:${phone}`,
	};
	const form = forms[choice['event-sender']];
	return mapValues(data, (value, key) =>
		['from', 'to'].includes(key) && typeof value === 'string' ? form(value) : value,
	);
}

function describeTime(choice: Choice, data: Envelope['data']): Envelope['data'] {
	const { timestamp, ...others } = data;
	if (typeof timestamp !== 'string' || choice['event-time'] === 'timestamp') return data;
	if (choice['event-time'] === 'occurred_at') return { ...others, occurred_at: timestamp };
	return { ...others, timestamp: timestamp.replace(/:\d\d(\.\d+)?Z$/, 'Z') };
}
