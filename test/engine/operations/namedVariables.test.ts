/** Named variables of templates: each value arrives in its own place, or nothing is sent. */
import type { INodeParameters } from 'n8n-workflow';

import { locator, sendText, useService } from '../../../harness/engine/service';

const service = useService();
const values = { body_code: '4711', body_name: 'Anna', header_shop: 'Acme', header_order: '7' };
const header = 'Order {{order}} at {{shop}}';
const bodies = ['Hello {{name}}, your code is {{code}}', 'Your code is {{code}}, {{name}}'];
const partsOf = (text: string) => [
	{ type: 'HEADER' as const, format: 'TEXT' as const, text: header },
	{ type: 'BODY' as const, text },
];
const shown = bodies.map((text) => ({
	name: 'code',
	language: 'en_US',
	components: partsOf(text),
}));

/** The form as n8n saves it: the order of the fields may be that of an older text. */
const form = {
	mappingMode: 'defineBelow',
	value: values,
	schema: Object.keys(values).map((id) => ({ id, displayName: id, required: true })),
};
const sendTemplate = {
	...{ resource: 'message', operation: 'sendTemplate', to: '+15550001000' },
	...{ template: locator('code', 'name'), language: locator('en_US', 'code'), variables: form },
};
const fallback = {
	...{ ...sendText, useFallbackTemplate: true, fallbackVariables: form },
	...{ fallbackTemplate: locator('code', 'name'), fallbackLanguage: locator('en_US', 'code') },
};
const ways: Record<string, INodeParameters> = {
	'in Send Template': sendTemplate,
	'in a fallback template': fallback,
};

const template = () => service.sandbox.state.templates.all.find(({ name }) => name === 'code')!;
const edit = () => void (template().components = partsOf(bodies[1]));
const list = (...records: object[]) => service.list('listTemplates', ...records);
const isDown = () => service.fault({ endpoint: 'listTemplates', status: 500, count: 50 });
const [{ name, language }] = shown;
const anyLanguage = shown.map((one) => ({ ...one, language: undefined }));

/** What has happened to the template since the last run, and why nothing can be sent; empty if it can. */
const situations: Array<[string, () => unknown, string]> = [
	['is as before', () => undefined, ''],
	['was edited', edit, ''],
	['was edited, and cannot be listed', async () => (edit(), isDown()), 'The service failed'],
	['cannot be listed', isDown, 'The service failed'],
	['has a hidden text', async () => list({ name, language }), 'does not show its text'],
	['is not in the list', async () => list(), 'does not list this template'],
	[
		'has two texts, whose languages the service does not show',
		async () => list(...anyLanguage),
		'several texts',
	],
];

test.each(
	Object.keys(ways).flatMap((way) =>
		situations.map(([situation, make, reason]) => ({ way, situation, make, reason })),
	),
)(
	'each named value of a template that $situation arrives in its place, or nothing is sent, $way',
	async (one) => {
		const credentials = service.credentials(service.newKey()); // a key for which no list is cached yet
		service.sandbox.state.templates.create(shown[0], 'APPROVED');
		const send = async () => {
			service.fault({ endpoint: 'sendText', status: 422 });
			return await service.run({ credentials, parameters: ways[one.way] });
		};
		const seen = () =>
			service.sandbox.state.messages.all.map(({ text, template }) => [
				template?.header?.text,
				text,
			]);
		expect((await send()).error).toBeUndefined();
		await one.make();
		const { error } = await send();
		const right = ['Hello Anna, your code is 4711', 'Your code is 4711, Anna'];
		const now = right[bodies.indexOf(String(template().components?.[1].text))];
		const both = [right[0], ...(one.reason ? [] : [now])];
		expect(seen()).toEqual(both.map((text) => ['Order 7 at Acme', text]));
		if (!one.reason) return expect(error).toBeUndefined();
		expect(error).toMatchObject({
			message: 'The order of the variables of the template "code" (en_US) is not known [item 0]',
			description: expect.stringContaining(one.reason),
			context: { sendStatus: 'notSent' },
		});
	},
);

test.each<[string, object, string]>([
	['lacks a variable', { body_name: 'Anna', body_code: '1' }, "needs a value for 'Header order'"],
	['has one more variable', { ...values, body_city: 'Berlin' }, "has no variable 'Body city'"],
])('a form that %s is refused even without the check', async (_, value, problem) => {
	service.sandbox.state.templates.create(shown[0], 'APPROVED');
	const parameters = { ...sendTemplate, variables: { ...form, value, schema: [] } };
	const { error } = await service.run({ parameters: parameters as INodeParameters });
	expect(error?.message).toBe(`The template "code" (en_US) ${problem} [item 0]`);
	expect(service.sent()).toEqual([]);
});

test('numbers that the form has asked for are not put in the places of names', async () => {
	const numbered = { body_1: 'Anna', body_2: '4711' };
	const schema = Object.keys(numbered).map((id) => ({ id, displayName: id, required: true }));
	service.sandbox.state.templates.create(
		{ ...shown[1], components: partsOf(bodies[1]).slice(1) },
		'APPROVED',
	);
	const parameters = { ...sendTemplate, variables: { ...form, value: numbered, schema } };
	const { error } = await service.run({ parameters: parameters });
	expect(error?.message).toContain("has no variable 'Body 1'");
	expect(service.sent()).toEqual([]);
});
