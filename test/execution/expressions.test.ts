/** Expressions in the fields of the node: missing values that n8n ignores are refused before anything is sent. */
import fc from 'fast-check';
import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeParameters,
	Workflow,
} from 'n8n-workflow';

import { FieldReader } from '../../nodes/BusinessMessaging/execution/expressions';
import { textField } from '../../nodes/BusinessMessaging/operations/fields';
import { start } from '../support/package';
import { locator, sendText, useService } from '../support/service';

const service = useService();
const send: INodeParameters = { ...sendText, to: '={{ $json.phone }}' };
const people: IDataObject[] = [
	{ phone: '+15550001001', name: 'Anna', parcel: { id: 7 } },
	{ phone: '+15550001002', name: null },
	{ phone: '+15550001003', name: '', parcel: { id: '' } },
];

const textsTo = () => service.sent().map((message) => message.text);
const runWith = async (parameters: INodeParameters, items = people.slice(0, 1)) =>
	await service.run({ parameters: { ...send, ...parameters }, items });

test('a value that is missing inside a text stops the run before anything is sent, or fails its item alone', async () => {
	const text = '=Hello {{ $json.name }}, your parcel {{ $json.parcel.id }} is here';
	const { error } = await runWith({ text }, people);
	expect(error).toMatchObject({
		message: "{{ $json.name }} in 'Text' has no value [item 1]",
		description: expect.stringContaining('nothing was sent'),
		context: { itemIndex: 1, sendStatus: 'notSent' },
	});
	expect(textsTo()).toEqual([]);
	const parameters = { ...send, text };
	const onError = 'continueErrorOutput';
	const { outputs } = await service.run({ parameters, items: people, onError });
	expect(outputs[1].map(({ json }) => json.phone)).toEqual(['+15550001002']);
	expect(textsTo()).toEqual(['Hello Anna, your parcel 7 is here', 'Hello , your parcel  is here']);
});

test('an expression is refused with advice that works', async () => {
	const { error } = await runWith({ text: '=Hello {{ $json.customer.name }}!' });
	const advised = "{{ $json.customer?.name ?? '' }}";
	expect(error?.description).toContain(advised);
	await runWith({ text: `=Hello ${advised}!` });
	expect(textsTo()).toEqual(['Hello !']);
});

const template = {
	operation: 'sendTemplate',
	template: locator('welcome', 'name'),
	language: locator('en_US', 'code'),
	variables: { mappingMode: 'defineBelow', value: { body_1: '=Dear {{ $json.nmae }}' } },
};
const update = {
	resource: 'contact',
	operation: 'update',
	contactId: locator('1'),
	updateFields: { name: '={{ $json.nmae }}' },
};
const list = { resource: 'contact', operation: 'getAll', filters: { segment: '={{ $json.seg }}' } };
const emptyText = 'use an empty text instead';

test.each<[INodeParameters, string, string]>([
	[{ text: '={{ null }}!' }, "{{ null }} in 'Text' has no value", emptyText],
	[{ text: '={{ Number($json.name) }}!' }, "{{ Number($json.name) }} in 'Text' has", emptyText],
	[template, "{{ $json.nmae }} in 'Variables' has no value", emptyText],
	[{ text: '=Hi {{ $json.parcel }}' }, 'in \'Text\' gives "[object Object]"', 'one field'],
	[
		{ text: '=On {{ DateTime.fromISO($json.name).toFormat("dd.MM.") }}' },
		'gives "Invalid DateTime"',
		'correct the date',
	],
	[{ text: '=Hi {{ foo( }}' }, "The expression {{ foo( }} in 'Text' failed: ", ''],
	[
		{ to: '={{ $json.customer.phone }}' },
		"'Recipient Phone Number' is empty",
		"{{ $json.customer.phone }} in 'Recipient Phone Number' has no value.",
	],
	[
		{ audienceRules: { excludeSegment: '={{ $json.seg }}' } },
		"{{ $json.seg }} in 'Audience Rules' has no value",
		emptyText,
	],
	[list, "{{ $json.seg }} in 'Filters' has no value", emptyText],
	[update, "{{ $json.nmae }} in 'Update Fields' has no value", emptyText],
])('%j is refused: %s', async (parameters, message, advice) => {
	const { error } = await runWith(parameters);
	expect(error?.message).toContain(message);
	expect(error?.message).toMatch(/\[item 0\]$/);
	expect(error?.description).toContain(advice);
	expect(service.requests()).toEqual([]);
});

test('a date is sent as ISO 8601, without quotes', async () => {
	await runWith({ text: '={{ DateTime.fromISO("2030-01-31T10:00:00.000Z", { zone: "utc" }) }}' });
	expect(textsTo()).toEqual(['2030-01-31T10:00:00.000Z']);
});

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

const node = { id: '1', name: 'Node', type: 'test', typeVersion: 1, parameters: {} };
const nodeTypes = {
	getByName: () => start,
	getByNameAndVersion: () => start,
	getKnownTypes: () => ({}),
};
const nodes = [{ ...node, position: [0, 0] as [number, number] }];
const { expression } = new Workflow({ nodes, connections: {}, active: false, nodeTypes });

/** A text field of an item, read by us and by n8n itself. */
function readings(text: string, json: IDataObject): { ours: () => unknown; n8ns: () => unknown } {
	const items = [{ json }];
	const evaluate = (value: string) =>
		expression.getParameterValue(value, null, 0, 0, 'Node', items, 'trigger', {}) as unknown;
	const context = {
		getNode: () => ({ ...node, parameters: { text } }),
		getInputData: () => items,
		evaluateExpression: (own: string) => evaluate(`=${own}`),
	} as unknown as IExecuteFunctions;
	const field = textField({ displayName: 'Text', name: 'text' });
	return { ours: () => new FieldReader(context).read(field, 0), n8ns: () => evaluate(text) };
}

test(`columns are read as n8n reads them, whatever is in a text (TEST_SEED=${seed})`, () => {
	const words = ['', 'Hello ', '\\{{ 1 }}', '\\\\', "it's `$5`", '}}', '\n'];
	const around = fc.oneof(fc.string(), fc.constantFrom(...words));
	const names = ['First Name', 'constructor', '__proto__', 'length', 'to', 'json', '0'];
	const name = fc.oneof(
		fc.stringMatching(/^[A-Za-z_]\w{0,5}$/),
		fc.string({ maxLength: 8 }),
		fc.constantFrom(...names),
	);
	const value = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.jsonValue());
	const path = fc.constantFrom('.NAME', '["NAME"]', '.a.NAME', '.a["NAME"]');
	const part = fc.record({ name, value, path, before: around });
	const parts = fc.array(part, { minLength: 1, maxLength: 3 });
	let compared = 0;
	const property = fc.property(parts, around, (columns, after) => {
		const texts = columns.map((own) => {
			const key = own.path.replace('NAME', () => own.name);
			return `${own.before}{{ $json${key} }}`;
		});
		const top = Object.fromEntries(columns.map((own) => [own.name, own.value]));
		const { ours, n8ns } = readings(`=${texts.join('')}${after}`, { ...top, a: top });
		let expected: unknown;
		try {
			expected = n8ns();
		} catch {
			return; // n8n refuses names that programs use to break out of its sandbox
		}
		try {
			expect(ours()).toEqual(expected);
			compared++;
		} catch (error) {
			if (!/has no value|gives "\[object/.test((error as Error).message)) throw error;
		}
	});
	fc.assert(property, { seed, numRuns: 2_000 });
	expect(compared).toBeGreaterThan(200);
});
