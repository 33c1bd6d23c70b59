/** Create or Update while phone numbers move: it changes only the contact that has the number at that moment. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { cloneDeep, range, uniq } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import {
	Contacts,
	notePhonesMoved,
} from '../../../nodes/BusinessMessaging/operations/contactIndex';
import { clientOf } from '../../../harness/engine/functionService';
import { locator, useOtherHost, useService } from '../../../harness/engine/service';
import { until } from '../../../harness/until';

const service = useService({ sampleContacts: 0, pageSizeCap: 100, defaultPageSize: 20 });
const contacts = () => service.sandbox.state.contacts;
const phoneOf = (n: number) => `+1555${1_000_000 + n}`;

let key: { apiKey: string };
beforeEach(() => void (key = service.newKey()));

async function upsert(name: string, ...phones: string[]) {
	return await service.run({
		credentials: service.credentials(key),
		parameters: { resource: 'contact', operation: 'upsert', phone: '={{ $json.phone }}', name },
		items: phones.map((phone) => ({ phone })),
	});
}

async function update(id: string, phone: string) {
	const parameters = { resource: 'contact', operation: 'update', contactId: locator(id) };
	const credentials = service.credentials(key);
	await service.run({ credentials, parameters: { ...parameters, updateFields: { phone } } });
}

type Step = { by: 'upsert' | 'update' | 'move' | 'create' | 'delete'; one: number; other: number };
const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
const people = 6;
const step: fc.Arbitrary<Step> = fc.record({
	by: fc.constantFrom('upsert', 'upsert', 'update', 'move', 'create', 'delete'),
	one: fc.nat(people - 1),
	other: fc.nat(people - 1),
});

/** Carries out a step of other users, or of the node's Update. The service refuses a number that another contact has. */
async function change({ by, one, other }: Step, isNewestFirst: boolean): Promise<void> {
	const contact = contacts().findByPhone(phoneOf(one));
	const isFree = !contacts().findByPhone(phoneOf(other));
	if (by === 'create' && !contact) {
		const created = contacts().create({ phone: phoneOf(one), name: 'Others' });
		if (isNewestFirst) contacts().moveToFront(created);
	}
	if (!contact) return;
	if (by === 'delete') contacts().delete(contact.id);
	if (by === 'move' && isFree) contacts().update(contact.id, { phone: phoneOf(other) });
	if (by === 'update') await update(contact.id, phoneOf(other));
}

test(`only contacts with the phone numbers of the run are changed, in any schedule (TEST_SEED=${seed})`, async () => {
	const schedule = fc.record({
		isNewestFirst: fc.boolean(),
		others: fc.constantFrom(0, 150, 350),
		steps: fc.array(step, { minLength: 3, maxLength: 10 }),
	});
	const property = fc.asyncProperty(schedule, async ({ isNewestFirst, others, steps }) => {
		service.sandbox.reset();
		key = service.newKey();
		for (const n of range(others)) contacts().create({ phone: phoneOf(100 + n) });
		contacts().create({ phone: phoneOf(0), name: 'Anna' });
		await upsert('First', phoneOf(people));
		for (const [index, one] of steps.entries()) {
			if (one.by !== 'upsert') {
				await change(one, isNewestFirst);
				continue;
			}
			const before = new Map(cloneDeep(contacts().all).map((contact) => [contact.id, contact]));
			const phones = [phoneOf(one.one), phoneOf(one.other)];
			const { error } = await upsert(`Name ${index}`, ...phones);
			expect(error).toBeUndefined();
			for (const contact of contacts().all) {
				const { phone, name } = before.get(contact.id) ?? { phone: contact.phone, name: undefined };
				const isMeant = phones.includes(phone);
				expect([contact.phone, contact.name]).toEqual([phone, isMeant ? `Name ${index}` : name]);
			}
			expect(phones.map((phone) => contacts().findByPhone(phone)?.name)).toEqual(
				phones.map(() => `Name ${index}`),
			);
		}
	});
	await fc.assert(property, { seed, numRuns: 25, endOnFailure: true });
}, 120_000);

test.each(['update', 'move'] as const)(
	'a contact whose number was meanwhile changed by %s is not overwritten',
	async (by) => {
		const anna = contacts().create({ phone: phoneOf(1), name: 'Anna' });
		await upsert('Other', phoneOf(9));
		await change({ by, one: 1, other: 2 }, false);
		await upsert('Bob', phoneOf(1));
		expect(contacts().all.map(({ name, phone }) => [name, phone])).toEqual([
			['Anna', phoneOf(2)],
			['Other', phoneOf(9)],
			['Bob', phoneOf(1)],
		]);
		expect(anna.name).toBe('Anna');
	},
);

test('if two contacts have the same number, the first one is updated, and a hint names it', async () => {
	const body = { data: ['a', 'b'].map((id) => ({ id, phone: phoneOf(0), name: id })), total: 2 };
	service.fault({ endpoint: 'listContacts', status: 200, body, count: 9 });
	service.fault({ endpoint: 'updateContact', status: 200, body: { id: 'a' } });
	const { hints } = await upsert('Anna', phoneOf(0));
	expect(service.requests('updateContact').map(({ url }) => url)).toEqual(['/v1/contacts/a']);
	expect(hints.map(({ message }) => message)).toEqual([
		`2 contacts have the phone number ${phoneOf(0)}. The first one in the list was updated: "a".`,
	]);
});

describe('a PUT that replaces the contact', () => {
	const known = {
		id: 'a',
		phone: phoneOf(0),
		email: 'a@example.com',
		segments: ['vip'],
		note: null,
	};
	const list = () =>
		service.fault({
			endpoint: 'listContacts',
			status: 200,
			body: [{ ...known, createdAt: '2026-01-01T00:00:00Z', _links: {} }],
			count: 9,
		});
	const bodies = () => service.requests('updateContact').map(({ body }) => body);

	test('contains the other fields that the list shows, but not those that the service sets itself', async () => {
		list();
		service.fault({ endpoint: 'updateContact', status: 200, body: known });
		await upsert('Anna', phoneOf(0));
		const { email, segments, phone } = known;
		expect(bodies()).toEqual([{ email, segments, phone, name: 'Anna' }]);
	});

	test('contains what an earlier item of the run has changed', async () => {
		list();
		service.fault({ endpoint: 'updateContact', status: 200, count: 9, body: known });
		const fields = [{ email: 'new@example.com' }, { city: 'Bonn' }, { city: 'Köln' }];
		const field = { name: '={{ Object.keys($json)[0] }}', value: '={{ Object.values($json)[0] }}' };
		const { error } = await service.run({
			credentials: service.credentials(key),
			parameters: {
				...{ resource: 'contact', operation: 'upsert', phone: phoneOf(0) },
				additionalFields: { field: [{ type: 'text', ...field }] },
			},
			items: fields,
		});
		expect(error).toBeUndefined();
		const changed = { segments: known.segments, phone: phoneOf(0), email: 'new@example.com' };
		expect(bodies()).toEqual([
			expect.objectContaining({ email: 'new@example.com' }),
			{ ...changed, city: 'Bonn' },
			{ ...changed, city: 'Köln' },
		]);
	});

	test.each(['', '={{ $json.title }}'])('keeps the name if *Name* is %j', async (name) => {
		const named = { ...known, name: 'Anna' };
		service.list('listContacts', named);
		service.fault({ endpoint: 'updateContact', status: 200, body: named });
		await upsert(name, phoneOf(0));
		expect(bodies()).toEqual([expect.objectContaining({ name: 'Anna', email: known.email })]);
	});

	test('contains only the changed fields if the service refuses the others, and a hint names the lost ones', async () => {
		list();
		service.fault({
			endpoint: 'updateContact',
			status: 422,
			body: { message: 'email: unknown' },
		});
		const left = { ...known, email: null, segments: ['vip'] };
		service.fault({ endpoint: 'updateContact', status: 200, body: left });
		const { hints, error } = await upsert('Anna', phoneOf(0));
		expect(error).toBeUndefined();
		expect(bodies().at(-1)).toEqual({ phone: phoneOf(0), name: 'Anna' });
		expect(hints.map(({ message }) => message).join()).toContain('contact "a": email.');
	});

	const named = { name: 'Anna' };
	const numbered = { phone: phoneOf(0) };

	test.each<[string, INodeParameters, object, string]>([
		['/api', named, { ...named, phone: null }, 'no phone number'],
		['', named, { ...named, phone: null }, 'no phone number'],
		['', numbered, { ...numbered, name: null }, 'no name'],
		['', named, { ...named, ...numbered }, ''],
		['/api', numbered, { ...numbered, name: null }, ''], // it may never have had one
	])(
		'with the API path %j, Update of %j to %j: a hint says %s',
		async (path, fields, left, lost) => {
			service.fault({ endpoint: 'updateContact', status: 200, body: { id: 'a', ...left } });
			const parameters = { resource: 'contact', operation: 'update', contactId: locator('a') };
			const { hints } = await service.run({
				credentials: service.credentials({ ...key, baseUrl: `${service.url}${path}` }),
				parameters: { ...parameters, updateFields: fields },
			});
			const words = hints.map(({ message }) => message).filter((one) => one.includes('replaces'));
			const expected = lost ? [expect.stringContaining(`The contact "a" has ${lost} now`)] : [];
			expect(words).toEqual(expected);
		},
	);

	test('is not needed with PATCH, which sends only the changed fields', async () => {
		list();
		service.fault({ endpoint: 'updateContact', status: 200, body: known });
		const baseUrl = `${service.url}/api`;
		await service.run({
			credentials: service.credentials({ ...key, baseUrl }),
			parameters: { resource: 'contact', operation: 'upsert', phone: phoneOf(0), name: 'Anna' },
		});
		expect(bodies()).toEqual([{ phone: phoneOf(0), name: 'Anna' }]);
	});
});

describe('a PUT while another run reads the same contacts', () => {
	const count = 1_500; // more than go out at once
	const records = range(count + 1).map((n) => ({ id: `c${n}`, phone: phoneOf(n), email: 'a@b.c' }));
	const puts: string[] = [];
	const waiting: Array<() => void> = [];
	const host = useOtherHost(({ method }, response) => {
		response.setHeader('content-type', 'application/json');
		if (method === 'GET') return void response.end(JSON.stringify(records));
		puts.push(host.seen.at(-1)!.body);
		waiting.push(() => response.end('{}'));
	});

	test('contains the other fields', async () => {
		const save = async (first: number, end: number) =>
			await service.run({
				credentials: service.credentials({ ...key, baseUrl: host.url, requestsPerMinute: 60_000 }),
				parameters: {
					resource: 'contact',
					operation: 'upsert',
					phone: '={{ $json.phone }}',
					name: 'x',
				},
				items: range(first, end).map((n) => ({ phone: phoneOf(n) })),
			});
		const long = save(0, count);
		await until('the first updates', () => waiting.length > 2);
		const responding = setInterval(() => waiting.splice(0, 9).forEach((respond) => respond()), 20);
		const short = save(count, count + 1);
		const results = await Promise.all([long, short]);
		clearInterval(responding);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		// On a busy machine, a request may time out, and be repeated.
		const changed = uniq(host.seen.flatMap(({ method, url }) => (method === 'PUT' ? url : [])));
		expect(changed).toHaveLength(count + 1);
		expect(puts.filter((body) => !body.includes('a@b.c'))).toEqual([]);
	});
});

test('two runs that list all contacts again at the same moment both see the fields of their contacts', async () => {
	const records = range(2_000).map((n) => ({ id: `c${n}`, phone: phoneOf(n), email: 'a@b.c' }));
	const { client, asked } = clientOf(({ page = 1 }) => ({
		body: records.slice((Number(page) - 1) * 1_000, Number(page) * 1_000),
	}));
	const phones = [range(0, 20), range(20, 40)].map((numbers) => numbers.map(phoneOf));
	const runs = await Promise.all(phones.map(async (some) => await Contacts.open(client, some)));
	notePhonesMoved(client);
	const before = asked.length;
	const found = await Promise.all(
		range(20).flatMap((n) => runs.map(async (run, which) => await run.find(phones[which][n]))),
	);
	expect(found.flat().filter(({ record }) => record.email !== 'a@b.c')).toEqual([]);
	expect(found).toHaveLength(40);
	// Two lists of at most six pages, and a page for each contact.
	expect(asked.length - before).toBeLessThanOrEqual(2 * 6 + 40);
});

describe('many contacts', () => {
	const waiting: Array<() => void> = [];
	const seen: string[] = [];
	const host = useOtherHost((request, response) => {
		const answer = (body: object) => response.end(JSON.stringify(body));
		response.setHeader('content-type', 'application/json');
		if (request.method === 'GET') return void answer([]);
		const { body } = host.seen.at(-1)!;
		const { phone } = JSON.parse(body) as { phone: string };
		seen.push(`${request.method} ${phone}`);
		waiting.push(() => answer({ id: phone.slice(1), phone }));
	});
	beforeEach(() => void seen.splice(0));
	const answerAll = () => waiting.splice(0).forEach((answer) => answer());

	test('are saved at the same time, but those with the same number in order', async () => {
		const phones = range(10).map(phoneOf);
		const run = service.run({
			credentials: service.credentials({ ...key, baseUrl: host.url }),
			parameters: {
				resource: 'contact',
				operation: 'upsert',
				phone: '={{ $json.phone }}',
				name: 'x',
			},
			items: [...phones, phoneOf(0), phoneOf(0)].map((phone) => ({ phone })),
		});
		// The number of simultaneous requests grows with the responses.
		await until('several requests at once', () => waiting.length > 2);
		const answering = setInterval(answerAll, 5);
		const { error } = await run;
		clearInterval(answering);
		expect(error).toBeUndefined();
		expect([...seen].sort()).toEqual(
			[...phones.map((phone) => `POST ${phone}`), ...range(2).map(() => `PUT ${phones[0]}`)].sort(),
		);
		expect(seen.indexOf(`POST ${phones[0]}`)).toBeLessThan(seen.indexOf(`PUT ${phones[0]}`));
	});

	test('if two executions need the same missing contact, one creates it and the other updates it, even if the service would create it twice', async () => {
		const parameters = { resource: 'contact', operation: 'upsert', phone: phoneOf(0), name: 'x' };
		const credentials = service.credentials({ ...key, baseUrl: host.url });
		const lists = () => host.seen.filter(({ method }) => method === 'GET').length;
		const first = service.run({ credentials, parameters });
		await until('the first to create it', () => waiting.length > 0);
		const before = lists();
		const second = service.run({ credentials, parameters });
		await until('the second to list the contacts', () => lists() > before);
		await pause(300); // long enough for the second execution to create the contact too
		const answering = setInterval(answerAll, 5);
		const results = await Promise.all([first, second]);
		clearInterval(answering);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(seen).toEqual([`POST ${phoneOf(0)}`, `PUT ${phoneOf(0)}`]);
	});
});
