/** What every operation must do with every variant of the service: three items, their effect, and the message of a refusal. */
import { intersection, map, range, sortBy } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { endpoints, type EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../../nodes/BusinessMessaging/nodeProperties';
import type { Operation } from '../../../nodes/BusinessMessaging/operations/operation';
import type { Choice } from '../../../sandbox/variants';
import { caseOf, everyOperation, parametersOf } from '../../../harness/engine/everyOperation';
import type { VariantEnvironment } from './variantEnvironment';

type Item = Record<string, string | number>;

/** What a refusal by an ordered fault says, in whatever shape. */
const refusalWords = 'Unprocessable Entity (ordered by a test)';

/** The checks of an operation in addition to those of all operations. Its parameters are those of harness/engine/everyOperation.ts. */
interface Script {
	/** Parameters that differ from that table. */
	parameters?: INodeParameters;
	/** What the first item gives, where that differs from that table. A write may also give only that it succeeded. */
	gives?: (environment: VariantEnvironment) => Record<string, unknown>;
	/** The data of the service afterwards, and the expected data. */
	effect?: (environment: VariantEnvironment) => [unknown, unknown];
}

const three = [1, 2, 3];
const text = 'Gr\u00fc\u00dfe \u{1f44b}\n"quoted" <b>{{1}}</b> \\ \u200f\u0627';
const lastOf = <T>(list: readonly T[]) => list.slice(-3);

const sending: Script = {
	gives: ({ answersMessageId }) => ({
		to: '+15550001001',
		messageId: answersMessageId ? expect.stringMatching(/./) : null,
	}),
	effect: ({ state }) => [
		lastOf(state.messages.all).map(({ phone }) => phone),
		three.map((n) => `+1555000100${n}`),
	],
};

/** Whether the service shows an address without a query as it was given. */
const isWholeUrl = ({ 'webhook-listing': listing }: Choice) =>
	['as-given', 'no-query', 'masked'].includes(listing);

const scripts: Record<string, Script> = {
	'account getCurrent': { gives: () => ({ name: 'Sandbox account' }) },
	'contact create': { gives: (environment) => ({ phone: environment.phone('+15550001001') }) },
	'contact update': {
		effect: ({ state }) => [state.contacts.all.filter(({ name }) => name === 'Bea').length, 3],
	},
	'contact upsert': {
		parameters: { phone: '=+1 (555) 000-100{{ $json.n + 2 }}' }, // one that exists and two that do not
		effect: ({ state }) => [
			[3, 4, 5].map((n) => state.contacts.findByPhone(`+1555000100${n}`)?.name),
			['Carl', 'Carl', 'Carl'],
		],
	},
	'conversation getAll': {
		parameters: { queryParameters: {} }, // not every service has a page 1
		gives: () => ({ phone: expect.stringMatching(/1555/) }),
	},
	'message sendTemplate': sending,
	'message sendText': {
		...sending,
		parameters: { text },
		effect: ({ state }) => [
			lastOf(state.messages.all).map((message) => message.text),
			[text, text, text],
		],
	},
	'template create': { gives: () => ({ name: 'note_1' }) },
	'template update': {
		gives: () => ({ name: expect.stringMatching(/^note_/) }),
		effect: ({ state }) => [
			lastOf(state.templates.all).map(({ name, category }) => [name, category]),
			three.map((n) => [`note_${n}`, 'MARKETING']),
		],
	},
	'webhook create': {
		gives: ({ choice }) =>
			isWholeUrl(choice) ? { [choice['webhook-url']]: 'https://example.com/hook/1' } : {},
		effect: ({ state }) => [
			lastOf(state.webhooks.all).map(({ url }) => url),
			three.map((n) => `https://example.com/hook/${n}`),
		],
	},
	'webhook getAll': {
		gives: ({ choice }) =>
			choice['webhook-listing'] === 'hidden'
				? {}
				: { [choice['webhook-url']]: expect.stringContaining('https://') },
	},
};

const nameOf = ({ resource, value }: Operation) => `${resource} ${value}`;
const deletes = ({ endpoint }: Operation) => Object.values(endpoint.methods).includes('DELETE');
/** Those that others need come first, and those that delete records come last. */
const needed = new Set(Object.values(everyOperation).map(({ needs }) => needs));
const atOnce = sortBy(
	operations.filter(({ waits }) => !waits),
	[deletes, (operation) => !needed.has(nameOf(operation)), 'resource', 'name'],
);

/** The items of an operation: numbers, or the records that it is about. */
async function itemsOf(
	environment: VariantEnvironment,
	{ resource, value }: Operation,
): Promise<Item[]> {
	const { parameters = {} } = caseOf(resource, value);
	const isAboutRecords = JSON.stringify(parameters).includes('$json.id');
	if (resource === 'webhook' && value !== 'create') {
		environment.state.webhooks.all.length = 0;
		for (const n of three)
			environment.state.webhooks.create({ url: `https://example.com/others/${n}` });
	}
	if (!isAboutRecords) return three.map((n) => ({ n }));
	return lastOf(await idsOf(environment, resource)).map((id) => ({ id }));
}

/** The IDs of all records of a resource, as the service lists them. */
async function idsOf(environment: VariantEnvironment, resource: string): Promise<string[]> {
	const listing = { resource, operation: 'getAll', returnAll: true, simplify: false };
	const records = await environment.gives(listing);
	return records.map(({ json }) => json[environment.idKey(resource)] as string);
}

/** Runs every operation. */
export async function checkOperations(environment: VariantEnvironment): Promise<void> {
	for (const operation of atOnce) {
		try {
			await checkOperation(environment, operation, scripts[nameOf(operation)] ?? {});
		} catch (error) {
			throw new Error(`${nameOf(operation)}: ${(error as Error).message}`, { cause: error });
		}
	}
}

async function checkOperation(
	environment: VariantEnvironment,
	operation: Operation,
	script: Script,
): Promise<void> {
	const { resource, value, endpoint } = operation;
	const [name] = Object.entries(endpoints).find(([, entry]) => entry === endpoint)! as [
		EndpointName,
		unknown,
	];
	const parameters = {
		...parametersOf(nameOf(operation)),
		...(value === 'getAll' && { simplify: false }),
		...script.parameters,
		options: { concurrency: 1 },
	};
	const missing = environment.has(name) ? undefined : 'does not offer';
	const isContactWrite = /Contact$/.test(name);
	const moved = isContactWrite ? environment.contactProblem : undefined;
	const problem = name === 'createWebhook' ? environment.webhookProblem(false) : (moved ?? missing);
	if (problem) return await checkRefusal(environment, parameters, problem);

	const items = await itemsOf(environment, operation);
	const given = await environment.gives(parameters, items);
	const isSilent = endpoint.methods['/v1'] !== 'GET' && !environment.answersRecord;
	const isPlain = isSilent && resource !== 'message' && value !== 'delete';
	const expected = isPlain ? { success: true } : script.gives?.(environment);
	expect(given[0].json).toMatchObject(expected ?? caseOf(resource, value).gives);
	const sources = given.map(({ pairedItem }) => (pairedItem as { item: number }).item);
	expect(new Set(sources).size).toBe(items.length);
	const [is, should] = script.effect?.(environment) ?? [];
	expect(is).toEqual(should);
	if (deletes(operation))
		expect(intersection(await idsOf(environment, resource), map(items, 'id'))).toEqual([]);

	environment.state.faults.add({ endpoint: name, status: 422, count: 9 });
	const another = value === 'upsert' ? { phone: '+15550002999' } : {};
	await checkRefusal(environment, { ...parameters, ...another }, refusalWords, items.slice(0, 1));
	environment.state.faults.remove();
}

async function checkRefusal(
	environment: VariantEnvironment,
	parameters: INodeParameters,
	words: string,
	items: Item[] = [{ n: 1, id: 'some-id' }],
): Promise<void> {
	const { outputs } = await environment.run(parameters, {
		items,
		onError: 'continueRegularOutput',
	});
	expect(outputs[0][0].json).toMatchObject({
		error: expect.stringContaining(words),
		details: { sendStatus: 'notSent' },
	});
}

/** Asks a person while no trigger keeps the replies: nobody is asked, and the error says what to do. */
export async function checkQuestion(environment: VariantEnvironment): Promise<void> {
	const to = '+15550003001';
	const question = { resource: 'message', operation: 'sendAndWait', to, message: 'Tuesday?' };
	const words = /No published workflow keeps the replies|does not show the complete addresses/;
	expect((await environment.run(question)).error?.message).toMatch(words);
	expect(environment.state.messages.all.map(({ phone }) => phone)).not.toContain(to);
}

/** Changes one field of a contact. The other fields must still exist, or a hint must say that they do not. */
export async function checkKept(environment: VariantEnvironment): Promise<void> {
	const { state } = environment;
	if (environment.contactProblem) return;
	const phone = '+15550006009';
	for (const n of range(6)) state.contacts.create({ phone: `+1555000600${n}` });
	const { id } = state.contacts.create({ phone, name: 'Dora', segments: ['vip'] });
	const contact = () => state.contacts.all.find((one) => one.id === id);

	const fields = { phone, name: 'Emma' };
	await environment.gives({ resource: 'contact', operation: 'upsert', ...fields });
	expect(contact()).toMatchObject({ ...fields, segments: ['vip'] });

	const ids = await idsOf(environment, 'contact');
	const contactId = ids.find((shown) => state.adapter.idOf(shown) === id)!;
	const { error, hints } = await environment.run({
		...{ resource: 'contact', operation: 'update' },
		...{ contactId: { __rl: true, mode: 'id', value: contactId }, updateFields: { name: 'Fay' } },
	});
	expect([error, contact()?.name]).toEqual([undefined, 'Fay']);
	const words = hints.map(({ message }) => message).join();
	const isLost = contact()?.phone !== phone;
	// A response without the record does not show what is lost.
	if (environment.answersRecord)
		expect(words.includes('replaces the whole contact with the fields')).toBe(isLost);
}

/** A template that the service does not list is refused before anything is sent. */
export async function checkUnknownTemplate(environment: VariantEnvironment): Promise<void> {
	const { requests } = environment.state;
	const calls = () => requests.counters.sendTemplate?.calls ?? 0;
	const before = calls();
	const template = { __rl: true, mode: 'name', value: 'welcom' };
	const parameters = { ...parametersOf('message sendTemplate'), template };
	await checkRefusal(environment, parameters, 'The service has no template "welcom"');
	expect(calls()).toBe(before);
}
