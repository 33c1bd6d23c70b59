/** What every operation must do with every variant of the service: three items, their effect, and the message of a refusal. */
import { sortBy, difference, range, uniq, without } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { endpoints, type EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../nodes/BusinessMessaging/description';
import type { Operation } from '../../nodes/BusinessMessaging/operations/operation';
import { caseOf, everyOperation, parametersOf } from '../support/everyOperation';
import { welcomeParameters } from '../support/templates';
import type { Choice } from '../../sandbox/variants';
import { refusalWords, type Stage } from './stage';

type Item = Record<string, string | number>;

/** What is checked of an operation beyond what is checked of all. Its parameters are those of test/support/everyOperation.ts. */
interface Script {
	/** Parameters that differ from that table. */
	parameters?: INodeParameters;
	/** What the three items hold, by default their numbers, or the records that the operation is about. */
	items?: (stage: Stage) => Promise<Item[]> | Item[];
	/** What the first item gives, where that depends on the service. */
	gives?: (stage: Stage) => Record<string, unknown>;
	/** What the service has afterwards, and what it should have. */
	effect?: (stage: Stage) => [unknown, unknown];
}

const three = [1, 2, 3];
const phones = three.map((n) => `+1555000100${n}`);
const text = 'Gr\u00fc\u00dfe \u{1f44b}\n"quoted" <b>{{1}}</b> \\ \u200f\u0627';

/** What a write gives: the record, or just that it succeeded. */
const written = (fields: Record<string, unknown>) => (stage: Stage) =>
	stage.answersRecord ? fields : { success: true };
const sent = ({ answersRecord }: Stage) => ({
	to: phones[0],
	messageId: answersRecord ? expect.stringMatching(/./) : null,
});
const lastOf = <T>(list: readonly T[]) => list.slice(-3);

/** Three records of a list, by their identifiers. */
async function listed(stage: Stage, resource: string): Promise<Item[]> {
	const parameters = { resource, operation: 'getAll', returnAll: true, simplify: false };
	const records = await stage.gives(parameters);
	const key = stage.idKey(resource);
	return lastOf(records).map(({ json }) => ({ id: json[key] as string | number }));
}

/** Puts three webhooks of others there. */
function addWebhooks({ state }: Stage): Item[] {
	for (const n of three) state.webhooks.create({ url: `https://example.com/others/${n}` });
	return three.map((n) => ({ n }));
}

const sentTo = ({ state }: Stage, shown: (words: string) => string) =>
	lastOf(state.messages.all)
		.map((message) => [message.phone, shown(message.text)])
		.sort();

const scripts: Record<string, Script> = {
	'account createToken': { gives: written({ token: expect.any(String) }) },
	'account getCurrent': { gives: () => ({ name: 'Sandbox account' }) },
	'contact create': {
		gives: (stage) => written({ phone: stage.phone(phones[0]), name: 'Anna 1' })(stage),
		effect: ({ state }) => [
			lastOf(state.contacts.all).map((contact) => [contact.phone, contact.name]),
			phones.map((number, index) => [number, `Anna ${index + 1}`]),
		],
	},
	'contact update': {
		gives: written({ name: 'Bea' }),
		effect: ({ state }) => [state.contacts.all.filter(({ name }) => name === 'Bea').length, 3],
	},
	'contact upsert': {
		parameters: { phone: '=+1 (555) 000-100{{ $json.n + 2 }}' }, // one that exists and two that do not
		gives: written({ name: 'Carl' }),
		effect: ({ state }) => [
			[3, 4, 5].map((n) => state.contacts.findByPhone(`+1555000100${n}`)?.name),
			['Carl', 'Carl', 'Carl'],
		],
	},
	'conversation getAll': {
		parameters: { queryParameters: {} }, // not every service has a page 1
		gives: () => ({ phone: expect.stringMatching(/1555/) }),
	},
	'message sendTemplate': {
		gives: sent,
		effect: (stage) => [
			sentTo(stage, (words) => words.slice(0, 12)),
			phones.map((number, index) => [number, `Hello Anna ${index + 1}`]),
		],
	},
	'message sendText': {
		parameters: { text },
		gives: sent,
		effect: (stage) => [sentTo(stage, (words) => words), phones.map((number) => [number, text])],
	},
	'template create': {
		gives: written({ name: 'note_1' }),
		effect: ({ state }) => [
			lastOf(state.templates.all).map(({ name }) => name),
			['note_1', 'note_2', 'note_3'],
		],
	},
	'template update': {
		gives: (stage) =>
			written(stage.choice['template-content'] === 'shown' ? { category: 'MARKETING' } : {})(stage),
		effect: ({ state }) => [
			lastOf(state.templates.all).map(({ name, category }) => [name, category]),
			three.map((n) => [`note_${n}`, 'MARKETING']),
		],
	},
	'webhook create': {
		gives: ({ answersRecord, choice }) =>
			answersRecord && choice['webhook-answer'] === 'record'
				? { [choice['webhook-url']]: 'https://example.com/hook/1' }
				: { success: true },
		effect: ({ state }) => [
			lastOf(state.webhooks.all).map(({ url }) => url),
			three.map((n) => `https://example.com/hook/${n}`),
		],
	},
	'webhook delete': {
		items: async (stage) => {
			addWebhooks(stage);
			return await listed(stage, 'webhook');
		},
		gives: () => ({ deleted: true }),
		effect: ({ state }) => [state.webhooks.all.filter(({ url }) => url.includes('/others/')), []],
	},
	'webhook getAll': {
		items: addWebhooks,
		gives: ({ choice }) => ({
			[choice['webhook-url']]: expect.stringContaining('https://example.com/'),
		}),
	},
};

const nameOf = ({ resource, value }: Operation) => `${resource} ${value}`;
/** Those that others need come first. */
const needed = new Set(Object.values(everyOperation).map(({ needs }) => needs));
const atOnce = sortBy(
	operations.filter(({ waits }) => !waits),
	[(operation) => !needed.has(nameOf(operation)), 'resource', 'name'],
);

/** The items of an operation: numbers, or the records that it is about. */
async function itemsOf(stage: Stage, { resource, value }: Operation): Promise<Item[]> {
	const { items } = scripts[`${resource} ${value}`] ?? {};
	if (items) return await items(stage);
	const isAboutRecords = JSON.stringify(caseOf(resource, value).parameters ?? {}).includes(
		'$json.id',
	);
	return isAboutRecords ? await listed(stage, resource) : three.map((n) => ({ n }));
}

/** Runs every operation. */
export async function checkOperations(stage: Stage): Promise<void> {
	for (const operation of atOnce) {
		try {
			await checkOperation(stage, operation, scripts[nameOf(operation)] ?? {});
		} catch (error) {
			throw new Error(`${nameOf(operation)}: ${(error as Error).message}`, { cause: error });
		}
	}
}

async function checkOperation(stage: Stage, operation: Operation, script: Script): Promise<void> {
	const { resource, value, endpoint } = operation;
	const name = (Object.keys(endpoints) as EndpointName[]).find(
		(key) => endpoints[key] === endpoint,
	) as EndpointName;
	const parameters = {
		...parametersOf(nameOf(operation)),
		...(value === 'getAll' && { simplify: false }),
		...script.parameters,
		options: { concurrency: 1 },
	};
	const missing = stage.has(name) ? undefined : 'does not offer';
	const unread = value === 'upsert' && hidesEnd(stage.choice) ? 'returned only the first' : missing;
	const problem = name === 'createWebhook' ? stage.webhookProblem(false) : unread;
	if (problem) return await checkRefusal(stage, parameters, problem);

	const items = await itemsOf(stage, operation);
	const given = await stage.gives(parameters, items);
	expect(given[0].json).toMatchObject(script.gives?.(stage) ?? caseOf(resource, value).gives);
	expect(new Set(given.map(({ pairedItem }) => (pairedItem as { item: number }).item)).size).toBe(
		items.length,
	);
	if (script.effect) expect(script.effect(stage)[0]).toEqual(script.effect(stage)[1]);

	await stage.fault({ endpoint: name, status: 422, count: 9 });
	const { outputs } = await stage.run(
		{ ...parameters, ...(value === 'upsert' && { phone: '+15550002999' }) },
		items.slice(0, 1),
		{ onError: 'continueRegularOutput' },
	);
	stage.state.faults.remove();
	const error = outputs[0][0].json.error as { message: string; sendStatus: string };
	expect(error).toMatchObject({
		message: expect.stringContaining(refusalWords),
		sendStatus: 'notSent',
	});
}

async function checkRefusal(
	stage: Stage,
	parameters: INodeParameters,
	words: string,
): Promise<void> {
	const { outputs } = await stage.run(parameters, [{ n: 1, id: 'some-id' }], {
		onError: 'continueRegularOutput',
	});
	expect(outputs[0][0].json.error).toMatchObject({
		message: expect.stringContaining(words),
		sendStatus: 'notSent',
	});
}

/** The form for a template has a field for each of its variables, or numbered ones where the service does not show them. */
export async function checkForm({ engine, credentials, choice }: Stage): Promise<void> {
	const parameters = { resource: 'message', operation: 'sendTemplate', ...welcomeParameters };
	const editor = engine.editor({ parameters, credentials });
	const { fields } = await editor.resourceMapping('getTemplateVariables');
	const names = {
		numbered: ['1', '2'],
		named: ['first_name', 'company'],
		scripts: ['größe', '名前'],
	}[choice['template-variables']];
	const isHidden = choice['template-content'] === 'hidden';
	const shown = isHidden ? ['1', '2', '3'] : names;
	expect(fields.filter(({ id, removed }) => id.startsWith('body') && !removed)).toEqual(
		shown.map((name) => expect.objectContaining({ id: `body_${name}`, required: !isHidden })),
	);
	expect(fields).toContainEqual(
		expect.objectContaining({ id: 'headerPdfUrl', required: !isHidden }),
	);
}

/** Asks a person and waits; the reply is not part of this check. */
export async function checkQuestion(stage: Stage): Promise<void> {
	const { state } = stage;
	const question = {
		resource: 'message',
		operation: 'sendAndWait',
		to: '+15550003001',
		message: 'Tuesday?',
	};
	const problem = stage.webhookProblem(false);
	if (problem) return await checkRefusal(stage, question, problem);
	const { status, error } = await stage.run(question, [{}]);
	expect(error).toBeUndefined();
	expect(status).toBe('waiting');
	expect(state.messages.all.at(-1)).toMatchObject({ phone: '+15550003001', text: 'Tuesday?' });
	expect(
		state.webhooks.all.filter((webhook) => webhook.url.includes('/webhook-waiting/')),
	).toHaveLength(1);
}

/** A request that the service asks to make again later is made again, once. */
export async function checkRate(stage: Stage): Promise<void> {
	await stage.fault({ endpoint: 'sendText', status: 429, headers: { 'retry-after': '0.05' } });
	const before = stage.state.messages.all.length;
	await stage.gives({
		resource: 'message',
		operation: 'sendText',
		to: '+15550003002',
		text: 'Later',
	});
	expect(stage.state.messages.all.slice(before)).toEqual([
		expect.objectContaining({ text: 'Later' }),
	]);
}

/** More requests than the fewest possible: which number the first page has, where the end is, and what others have changed. */
const maxFurther = 3;

/** Whether the service says how many contacts there are. */
function saysTotal(choice: Choice): boolean {
	const metadata = choice['page-metadata'];
	if (choice['list-envelope'] === 'bare') return metadata === 'header';
	return metadata !== 'absent';
}

/** Whether nothing shows that a list has ended: its last page, repeated with what was added, and then a refused one. */
function hidesEnd(choice: Choice): boolean {
	const isRepeated = choice['last-page'] === 'repeated' && choice['list-changes'] === 'added';
	const isRefused = choice['refused-pages'] === 'deep' && choice.paging === 'pages';
	return isRepeated && isRefused && !saysTotal(choice);
}

/** Puts so many contacts there and nothing else. @returns their phone numbers */
function fill({ state }: Stage, count: number): string[] {
	for (const { id } of [...state.contacts.all]) state.contacts.delete(id);
	return range(count).map((n) => state.contacts.create({ phone: `+15551${100_000 + n}` }).phone);
}

/** How many contacts a page has at most. */
function pageSize({ choice, state: { settings } }: Stage): number {
	const isOwn = choice['page-size'] === 'ignored' || choice['page-size'] === 'refused';
	return isOwn ? settings.defaultPageSize : settings.pageSizeCap;
}

/** Lists so many contacts with the node. */
export async function checkListing(stage: Stage, count: number): Promise<void> {
	const { state } = stage;
	const before = fill(stage, count);
	const callsBefore = state.requests.counters.listContacts?.calls ?? 0;
	const { outputs, error, hints } = await stage.run(
		{ resource: 'contact', operation: 'getAll', returnAll: true },
		[{}],
	);
	expect(error).toBeUndefined();
	const given = (outputs[0] ?? []).map(({ json }) => `+${String(json.phone).replace('+', '')}`);
	const gaps = hints
		.map(({ message }) => message)
		.filter((words) => /^The service returned/.test(words));

	expect(given).toEqual(uniq(given));
	checkMissing(stage, before, given, gaps);
	checkOrder(stage, before, given);
	const requests = (state.requests.counters.listContacts?.calls ?? 0) - callsBefore;
	checkRequests(stage, requests, Math.max(count, state.contacts.all.length));
}

function checkMissing(stage: Stage, before: string[], given: string[], gaps: string[]): void {
	const { choice, state } = stage;
	const missing = difference(
		before.filter((phone) => state.contacts.findByPhone(phone)),
		given,
	);
	const total = state.contacts.all.length;
	const isDeep = choice['refused-pages'] === 'deep' && total > 2 * pageSize(stage);
	// As many as the service says there are, since others that were read have been removed.
	if (isDeep && saysTotal(choice) && given.length >= total) return;
	if (missing.length === 0 && !isDeep) {
		// Where nothing shows how many there are, a full page before one that is refused may not be the last.
		if (saysTotal(choice)) expect(gaps).toEqual([]);
		return;
	}
	// Without a total, no response shows that an unread contact has moved onto a page that was already read.
	const maySlip = choice['list-changes'] === 'removed' && !saysTotal(choice);
	expect(missing.length).toBeLessThanOrEqual(
		(isDeep ? total - 2 * pageSize(stage) : 0) + (maySlip ? 1 : 0),
	);
	if (maySlip && !isDeep) return;
	const amount = saysTotal(choice)
		? `${given.length} of ${total} contacts`
		: `only the first ${given.length} contacts`;
	if (missing.length > 0) expect(gaps).toEqual([expect.stringContaining(amount)]);
}

function checkOrder({ choice }: Stage, before: string[], given: string[]): void {
	const order = given.filter((phone) => before.includes(phone));
	const wanted = before.filter((phone) => given.includes(phone));
	// A contact that has moved onto a page which was read before is found late, when that page is read again.
	const changes = choice['list-changes'];
	const moved = {
		none: undefined,
		added: undefined,
		removed: wanted.find((phone, index) => order[index] !== phone),
		moved: before.at(-1),
	}[changes];
	expect(without(order, moved)).toEqual(without(wanted, moved));
}

function checkRequests(stage: Stage, requests: number, count: number): void {
	const { choice } = stage;
	if (!saysTotal(choice) || choice['refused-pages'] === 'deep') return;
	const needed = Math.max(1, Math.ceil(count / pageSize(stage)));
	// Which limit the service takes; a greatest page size as small as here is below all that are tried.
	const refusals = choice['page-size'] === 'refused' && choice.paging !== 'none' ? 2 : 0;
	// A refused page is requested up to twice more, as the failure may be temporary.
	const isNumbered = choice.paging === 'pages';
	const retries = choice['last-page'] === 'bad-request' && isNumbered ? 2 : 0;
	const transient = choice['refused-pages'] === 'transient' ? 1 : 0;
	expect(requests).toBeLessThanOrEqual(needed + maxFurther + refusals + retries + transient);
}
