/** What every operation has to do whatever the service is like: three items, what they change, and the words of a refusal. */
import type { INodeParameters } from 'n8n-workflow';

import { endpoints, type EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../nodes/BusinessMessaging/description';
import type { Operation } from '../../nodes/BusinessMessaging/operations/operation';
import { welcomeParameters } from '../support/templates';
import { refusalWords, type Stage } from './stage';

type Item = Record<string, string | number>;

interface Script {
	parameters?: INodeParameters;
	/** What the three items hold, by default their numbers. */
	items?: (stage: Stage) => Promise<Item[]> | Item[];
	/** What the first item gives. */
	gives: (stage: Stage) => Record<string, unknown>;
	/** What the service has afterwards, and what it should have. */
	effect?: (stage: Stage) => [unknown, unknown];
}

const three = [1, 2, 3];
const phones = three.map((n) => `+1555000200${n}`);
const phone = '=+1 (555) 000-200{{ $json.n }}';
const byId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
const text = 'Gr\u00fc\u00dfe \u{1f44b}\n"quoted" <b>{{1}}</b> \\ \u200f\u0627';
const welcome = { to: phone, ...welcomeParameters };
const note = { language: 'en_US', componentsJson: '[{ "type": "BODY", "text": "Hi {{1}}" }]' };

/** What a write gives: the record, or just that it succeeded. */
const written = (fields: Record<string, unknown>) => (stage: Stage) =>
	stage.answersRecord ? fields : { success: true };
const sent = ({ answersRecord }: Stage) => ({
	to: phones[0],
	messageId: answersRecord ? expect.stringMatching(/./) : null,
});
const lastOf = <T>(list: readonly T[]) => list.slice(-3);

/** Three records of a listing, by the identifiers that the node finds. */
async function listed(stage: Stage, resource: string): Promise<Item[]> {
	const records = await stage.gives({
		resource,
		operation: 'getAll',
		returnAll: true,
		simplify: false,
	});
	const key = stage.choice['id-key'] === 'messageId' ? 'id' : stage.choice['id-key'];
	return lastOf(records).map(({ json }) => ({ id: json[key] as string | number }));
}

/** Puts three webhooks of others there. */
function addWebhooks({ state }: Stage): void {
	for (const n of three) state.webhooks.create({ url: `https://example.com/others/${n}` });
}

async function withWebhooks(stage: Stage): Promise<Item[]> {
	addWebhooks(stage);
	return await listed(stage, 'webhook');
}

const scripts: Record<string, Script> = {
	'account createToken': { gives: written({ token: expect.any(String) }) },
	'account getCurrent': { gives: () => ({ name: 'Sandbox account' }) },
	'analytics getAgentStatistics': { gives: () => ({ name: 'Demo key', sent: expect.any(Number) }) },
	'analytics getCampaignStatistics': {
		gives: () => ({ template: 'welcome', sent: expect.any(Number) }),
	},
	'analytics getMessageStatistics': {
		gives: () => ({ total: expect.any(Number), sent: expect.any(Number) }),
	},
	'contact create': {
		parameters: { phone, name: '=Anna {{ $json.n }}' },
		gives: written({ phone: phones[0], name: 'Anna 1' }),
		effect: ({ state }) => [
			lastOf(state.contacts.all).map((contact) => [contact.phone, contact.name]),
			phones.map((number, index) => [number, `Anna ${index + 1}`]),
		],
	},
	'contact getAll': {
		parameters: { limit: 1 },
		gives: () => ({ phone: expect.stringMatching(/^\+1555/) }),
	},
	'contact update': {
		parameters: { contactId: byId, updateFields: { name: 'Bea' } },
		items: async (stage) => await listed(stage, 'contact'),
		gives: written({ name: 'Bea' }),
		effect: ({ state }) => [state.contacts.all.filter(({ name }) => name === 'Bea').length, 3],
	},
	'contact upsert': {
		parameters: { phone: '=+1 (555) 000-200{{ $json.n + 2 }}', name: 'Carl' },
		gives: written({ name: 'Carl' }),
		effect: ({ state }) => [
			[3, 4, 5].map((n) => state.contacts.findByPhone(`+1555000200${n}`)?.name),
			['Carl', 'Carl', 'Carl'],
		],
	},
	'conversation getAll': { parameters: { limit: 1 }, gives: () => ({ phone: phones[0] }) },
	'message sendTemplate': {
		parameters: welcome,
		gives: sent,
		effect: ({ state }) => [
			lastOf(state.messages.all)
				.map((message) => [message.phone, message.text.slice(0, 12)])
				.sort(),
			phones.map((number, index) => [number, `Hello Anna ${index + 1}`]),
		],
	},
	'message sendText': {
		parameters: { to: phone, text },
		gives: sent,
		effect: ({ state }) => [
			lastOf(state.messages.all)
				.map((message) => [message.phone, message.text])
				.sort(),
			phones.map((number) => [number, text]),
		],
	},
	'template create': {
		parameters: { name: '=note_{{ $json.n }}', ...note },
		gives: written({ name: 'note_1' }),
		effect: ({ state }) => [
			lastOf(state.templates.all).map(({ name }) => name),
			['note_1', 'note_2', 'note_3'],
		],
	},
	'template getAll': { parameters: { limit: 1 }, gives: () => ({ name: 'welcome' }) },
	'template update': {
		parameters: { templateId: byId, updateFields: { category: 'MARKETING' } },
		items: async (stage) => await listed(stage, 'template'),
		gives: (stage) =>
			written(stage.choice['template-content'] === 'shown' ? { category: 'MARKETING' } : {})(stage),
		effect: ({ state }) => [
			state.templates.all.filter(
				({ name, category }) => category === 'MARKETING' && name.startsWith('note'),
			).length,
			3,
		],
	},
	'webhook create': {
		parameters: { url: '=https://example.com/hook/{{ $json.n }}', events: ['message.received'] },
		gives: ({ answersRecord, choice }) => {
			const isShown = answersRecord && choice['webhook-answer'] === 'record';
			return isShown
				? { [choice['webhook-url']]: 'https://example.com/hook/1' }
				: { success: true };
		},
		effect: ({ state }) => [
			lastOf(state.webhooks.all).map(({ url }) => url),
			three.map((n) => `https://example.com/hook/${n}`),
		],
	},
	'webhook delete': {
		parameters: { webhookId: byId },
		items: withWebhooks,
		gives: () => ({ deleted: true }),
		effect: ({ state }) => [state.webhooks.all.filter(({ url }) => url.includes('/others/')), []],
	},
	'webhook getAll': {
		parameters: { limit: 1 },
		items: (stage) => (addWebhooks(stage), three.map((n) => ({ n }))),
		gives: ({ choice }) => ({
			[choice['webhook-url']]: expect.stringContaining('https://example.com/'),
		}),
	},
};

/** Those that other operations prepare the ground for come after them. */
const order = [
	'message sendText',
	'message sendTemplate',
	'contact create',
	'template create',
	'webhook create',
];
const nameOf = ({ resource, value }: Operation) => `${resource} ${value}`;
const place = (operation: Operation) =>
	order.includes(nameOf(operation)) ? order.indexOf(nameOf(operation)) : order.length;
const atOnce = operations.filter(({ waits }) => !waits).sort((a, b) => place(a) - place(b));

/** Runs every operation. */
export async function checkOperations(stage: Stage): Promise<void> {
	const missing = atOnce.map(nameOf).filter((name) => !(name in scripts));
	if (missing.length > 0)
		throw new Error(`Add rows for ${missing.join(', ')} to test/variants/operations.ts.`);
	for (const operation of atOnce) {
		try {
			await checkOperation(stage, operation, scripts[nameOf(operation)]);
		} catch (error) {
			throw new Error(`${nameOf(operation)}: ${(error as Error).message}`, { cause: error });
		}
	}
}

async function checkOperation(
	stage: Stage,
	{ resource, value, endpoint }: Operation,
	script: Script,
): Promise<void> {
	const name = (Object.keys(endpoints) as EndpointName[]).find(
		(key) => endpoints[key] === endpoint,
	) as EndpointName;
	const parameters = {
		resource,
		operation: value,
		simplify: false,
		...script.parameters,
		options: { concurrency: 1 },
	};
	const missing = stage.has(name) ? undefined : 'does not offer';
	const problem = name === 'createWebhook' ? stage.webhookProblem(false) : missing;
	if (problem) return await checkRefusal(stage, parameters, problem);

	const items = (await script.items?.(stage)) ?? three.map((n) => ({ n }));
	const given = await stage.gives(parameters, items);
	expect(given[0].json).toMatchObject(script.gives(stage));
	expect(new Set(given.map(({ pairedItem }) => (pairedItem as { item: number }).item)).size).toBe(
		items.length,
	);
	if (script.effect) expect(script.effect(stage)[0]).toEqual(script.effect(stage)[1]);

	await stage.fault({ endpoint: name, status: 422 });
	const { outputs } = await stage.run(
		{ ...parameters, ...(value === 'upsert' && { phone: '+15550002999' }) },
		items.slice(0, 1),
		{ onError: 'continueRegularOutput' },
	);
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

/** Asks a person and waits: the half that concerns the service. */
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
