/** What every operation must do with every variant of the service: three items, their effect, and the message of a refusal. */
import { sortBy } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { endpoints, type EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../../nodes/BusinessMessaging/description';
import type { Operation } from '../../../nodes/BusinessMessaging/operations/operation';
import type { Choice } from '../../../sandbox/variants';
import { caseOf, everyOperation, parametersOf } from '../../../harness/engine/everyOperation';
import type { Stage } from './stage';

type Item = Record<string, string | number>;

/** What a refusal by an ordered fault says, in whatever shape. */
const refusalWords = 'Unprocessable Entity (ordered by a test)';

/** What is checked of an operation beyond what is checked of all. Its parameters are those of harness/engine/everyOperation.ts. */
interface Script {
	/** Parameters that differ from that table. */
	parameters?: INodeParameters;
	/** What the first item gives, where that differs from that table. A write may also give only that it succeeded. */
	gives?: (stage: Stage) => Record<string, unknown>;
	/** What the service has afterwards, and what it should have. */
	effect?: (stage: Stage) => [unknown, unknown];
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
	'contact create': { gives: (stage) => ({ phone: stage.phone('+15550001001') }) },
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
	'webhook delete': { effect: ({ state }) => [state.webhooks.all, []] },
	'webhook getAll': {
		gives: ({ choice }) =>
			choice['webhook-listing'] === 'hidden'
				? {}
				: { [choice['webhook-url']]: expect.stringContaining('https://') },
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
	const { parameters = {} } = caseOf(resource, value);
	const isAboutRecords = JSON.stringify(parameters).includes('$json.id');
	if (resource === 'webhook' && value !== 'create') {
		stage.state.webhooks.all.length = 0;
		for (const n of three) stage.state.webhooks.create({ url: `https://example.com/others/${n}` });
	}
	if (!isAboutRecords) return three.map((n) => ({ n }));
	const listing = { resource, operation: 'getAll', returnAll: true, simplify: false };
	const records = await stage.gives(listing);
	return lastOf(records).map(({ json }) => ({ id: json[stage.idKey(resource)] as string }));
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
	const missing = stage.has(name) ? undefined : 'does not offer';
	const problem = name === 'createWebhook' ? stage.webhookProblem(false) : missing;
	if (problem) return await checkRefusal(stage, parameters, problem);

	const items = await itemsOf(stage, operation);
	const given = await stage.gives(parameters, items);
	const isSilent = endpoint.methods['/v1'] !== 'GET' && !stage.answersRecord;
	const isPlain = isSilent && resource !== 'message' && value !== 'delete';
	const expected = isPlain ? { success: true } : script.gives?.(stage);
	expect(given[0].json).toMatchObject(expected ?? caseOf(resource, value).gives);
	const sources = given.map(({ pairedItem }) => (pairedItem as { item: number }).item);
	expect(new Set(sources).size).toBe(items.length);
	const [is, should] = script.effect?.(stage) ?? [];
	expect(is).toEqual(should);

	stage.state.faults.add({ endpoint: name, status: 422, count: 9 });
	const another = value === 'upsert' ? { phone: '+15550002999' } : {};
	await checkRefusal(stage, { ...parameters, ...another }, refusalWords, items.slice(0, 1));
	stage.state.faults.remove();
}

async function checkRefusal(
	stage: Stage,
	parameters: INodeParameters,
	words: string,
	items: Item[] = [{ n: 1, id: 'some-id' }],
): Promise<void> {
	const { outputs } = await stage.run(parameters, { items, onError: 'continueRegularOutput' });
	expect(outputs[0][0].json.error).toMatchObject({
		message: expect.stringContaining(words),
		sendStatus: 'notSent',
	});
}

/** Asks a person and waits; the reply is not part of this check. */
export async function checkQuestion(stage: Stage): Promise<void> {
	const { state } = stage;
	const to = '+15550003001';
	const question = { resource: 'message', operation: 'sendAndWait', to, message: 'Tuesday?' };
	const problem = stage.webhookProblem(false);
	if (problem) return await checkRefusal(stage, question, problem);
	const { status, error } = await stage.run(question);
	expect([error, status]).toEqual([undefined, 'waiting']);
	expect(state.messages.all.at(-1)).toMatchObject({ phone: to, text: 'Tuesday?' });
	const waiting = state.webhooks.all.filter(({ url }) => url.includes('/webhook-waiting/'));
	expect(waiting).toHaveLength(1);
}
