/** Texts that people read. If an expression gives a record, a list or a boolean, every text field refuses it, by the name of the field. */
import type { INodeParameters } from 'n8n-workflow';

import { Triggers, locator, sendText, useService } from '../../../harness/engine/service';
import { placesFor } from './places';

const service = useService();
const value = '={{ $json.value }}';
const record = { text: 'Hi Anna', internalNote: 'owes 300 EUR' };
const unreadable: Array<[string, unknown]> = [
	['a record', record],
	['a list', ['Anna', record]],
	['true', true],
	['false', false],
];

/** The fields for texts, by the labels that errors show. */
const places = placesFor(value)
	.filter(({ field }) => ['string', 'resourceLocator'].includes(field.type))
	.map((place) => {
		const { displayName } = place.field;
		return { ...place, shown: displayName === 'Value' ? `${place.label}: x` : displayName };
	});

/** Fields that only programs read may have a list or a boolean. */
const isForPrograms = (shown: string, given: unknown) =>
	(shown === 'Exclude Numbers' && Array.isArray(given)) ||
	(shown === 'Query Parameters: x' && typeof given === 'boolean');

test('covers all fields that people read', () => {
	const labels = new Set(places.map(({ shown }) => shown));
	for (const label of [
		...[
			'Text',
			'Message',
			'Text After Invalid Reply',
			'Choices',
			'Yes Words',
			'Name',
			'Footer',
			'Template',
		],
		...['URL', 'Fallback Template', 'Additional Fields: x'],
	])
		expect([...labels]).toContain(label);
	expect(places.length).toBeGreaterThan(60);
});

test.each(unreadable)('%s is refused in every text field, by its name', async (kind, given) => {
	const wrong: unknown[] = [];
	for (const { at, shown, parameters } of places) {
		if (isForPrograms(shown, given)) continue;
		const { error } = await service.run({
			parameters,
			items: [{ n: 1, id: '1', value: given as never }],
		});
		const isNamed = error?.message.includes(`'${shown}' is ${kind}, not a text`);
		if (!isNamed) wrong.push([at, error?.message]);
	}
	expect(wrong).toEqual([]);
	expect(service.requests()).toEqual([]);
});

const filled = (given: unknown) =>
	({ mappingMode: 'defineBelow', value: { body_1: given } }) as unknown as INodeParameters;
const template = {
	operation: 'sendTemplate',
	template: locator('login_code', 'name'),
	language: locator('en_US', 'code'),
};
const fallback = {
	useFallbackTemplate: true,
	fallbackTemplate: locator('login_code', 'name'),
	fallbackLanguage: locator('en_US', 'code'),
};
const labelled = { ...filled(value), schema: [{ id: 'body_1', displayName: 'Code' }] };
const whole = "'Body 1' is a record, not a text";

test.each<[INodeParameters, unknown, string]>([
	[{ ...template, variables: filled(value) }, record, whole],
	[{ ...template, variables: labelled }, record, "'Code' is a record, not a text"],
	[{ ...template, variables: filled(value) }, false, "'Body 1' is false, not a text"],
	[{ ...fallback, fallbackVariables: filled(value) }, record, whole],
	[{ text: '=Hi {{ $json.value }}!' }, false, "{{ $json.value }} in 'Text' is false, not a text"],
	[{ text: "={{ !$json.value && 'x' }}!" }, 'Anna', "in 'Text' is false, not a text"],
	[{ text: '=Hi {{ $json.value }}' }, ['Anna', 'Bea'], "in 'Text' is a list, not a text"],
	[{ text: '=Hi {{ $json.value }}' }, record, 'in \'Text\' gives "[object Object]"'],
	[{ ...template, variables: filled('=Hi {{ $json.value }}') }, true, "in 'Body 1' is true"],
])('%j with %j is refused before anything is sent: %s', async (parameters, given, message) => {
	const items = [{ value: given as never }];
	const { error } = await service.run({ parameters: { ...sendText, ...parameters }, items });
	expect(error?.message).toContain(message);
	expect(service.sent()).toEqual([]);
});

test('numbers, dates and texts such as false are accepted, and a list in a text that only programs read', async () => {
	const items = [{ value: 7.5, list: ['+15550002000', '+15550002001'], vip: true, text: 'false' }];
	const texts = [
		...[
			'={{ $json.value }}',
			'=Pay {{ $json.value }}',
			'={{ $json.text }}',
			'=It is {{ $json.text }}',
		],
		...["={{ DateTime.fromISO('2030-01-31', { zone: 'utc' }) }}", "={{ 'Hello, you' }}!"],
	];
	const audienceRules = { excludeNumbers: '={{ $json.list }}', excludeSegment: '' };
	const once = { sendOnce: true, campaign: '=spring-{{ $json.vip }}-{{ Math.random() }}' };
	for (const text of texts)
		await service.run({ parameters: { ...sendText, ...once, text, audienceRules }, items });
	expect(service.sent().map(({ text }) => text)).toEqual([
		...['7.5', 'Pay 7.5', 'false', 'It is false', '2030-01-31T00:00:00.000Z', 'Hello, you!'],
	]);
});

describe('values that n8n fills in for an AI agent', () => {
	/** The nodes as n8n saves them. Sources: `tool-generation/hitl-tools.js` of n8n's cli; for the values, `fromAiOverride` of its editor. */
	const review = {
		...{ resource: 'message', operation: 'sendAndWait', responseType: 'approval' },
		message:
			'=The agent wants to run this tool: {{ $tool.name }}\n\nInput:\n{{ $tool.parameters }}',
	};
	const call = {
		tool: 'Refund_order',
		toolParameters: {
			Order: 4711,
			Note: 'Sorry {{ $json.tool }}',
			Parcels: [{ id: 7, isLost: true }, 'x'],
			Address: { City: 'Bonn' },
			Empty: null,
		},
	};
	const asType = (suffix: string) => ({
		settings: { type: `n8n-nodes-business-messaging.businessMessaging${suffix}` },
	});
	const ask = async (message: string, item: object = call) => {
		const parameters = { ...review, to: sendText.to, message };
		const items = [item as never];
		const inbox = await new Triggers(service).active({ parameters: { keepReplies: true } });
		const baseUrl = new URL(inbox.url).origin;
		return await service.run({ parameters, items, baseUrl, ...asType('HitlTool') });
	};
	const asked = () => service.sent().map(({ text }) => text);

	test('the message of a human review shows the parameters of the tool call, and how to answer', async () => {
		const { status, error } = await ask(review.message);
		expect([error, status]).toEqual([undefined, 'waiting']);
		expect(asked()).toEqual([
			[
				...['The agent wants to run this tool: Refund_order', '', 'Input:', 'Order: 4711'],
				...['Note: Sorry {{ $json.tool }}', 'Parcels:', '  -', '    id: 7', '    isLost: true'],
				...['  - x', 'Address:', '  City: Bonn', 'Empty:', '', 'Reply yes or no.'],
			].join('\n'),
		]);
	});

	test.each([
		['={{ $tool.parameters }}', 'Order: 1\n\nReply yes or no.'],
		['=Ja oder nein?\n{{ $tool.parameters }}', 'Ja oder nein?\nOrder: 1'],
		['=May I run {{ $tool.name }}?', 'May I run Refund_order?'],
		['=Order {{ $tool.parameters.Order }}?', 'Order 1?'],
	])('the message %j asks %j', async (message, text) => {
		await ask(message, { ...call, toolParameters: { Order: 1 } });
		expect(asked()).toEqual([text]);
	});

	test('a tool without parameters can be reviewed', async () => {
		await ask(review.message, { ...call, toolParameters: {} });
		expect(asked()[0]).toContain('Input:\n\nReply yes or no.');
	});

	test.each<[INodeParameters, number]>([
		[{ to: '0170 1234567' }, 0],
		[{ to: '={{ "" }}' }, 0],
		[{}, 401],
		[{}, 409],
		[{}, 500],
	])('after an error of a tool, the model reads what to do: %j, HTTP %i', async (own, status) => {
		const run = async (type: object) => {
			if (status) service.fault({ endpoint: 'sendText', status });
			return (await service.run({ parameters: { ...sendText, ...own }, ...type })).error;
		};
		const shown = await run({});
		const ofTool = await run(asType('Tool'));
		expect(shown?.description).toMatch(/\w/);
		// Agents get only the message of an error.
		expect(ofTool?.message).toContain(shown?.description);
		expect(ofTool?.message).toContain(shown?.message.replace(' [item 0]', ''));
	});

	test('a record in the message of any other node is refused', async () => {
		const parameters = { ...review, to: sendText.to };
		const { error } = await service.run({ parameters, items: [call] });
		expect(error?.message).toContain("in 'Message'");
		expect(asked()).toEqual([]);
	});

	test('a field that the model fills in gets the value from the model', async () => {
		const fromAi = (name: string, type = 'string') =>
			`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${name}', \`\`, '${type}') }}`;
		const parameters = {
			...sendText,
			...{ to: fromAi('Recipient_Phone_Number'), text: fromAi('Text') },
			options: { timeout: fromAi('Timeout__Seconds_', 'number') },
		};
		const items = [{ Recipient_Phone_Number: '+15550001000', Text: 'Hi', Timeout__Seconds_: 9 }];
		const { error } = await service.run({ parameters, items, ...asType('Tool') });
		expect(error).toBeUndefined();
		expect(asked()).toEqual(['Hi']);
	});
});
