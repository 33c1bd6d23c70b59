/** Reading templates in the shapes of different services. */
import { readTemplates } from '../../nodes/BusinessMessaging/api/templates';

const parts = {
	header: 'Order {{1}}',
	body: 'Hi {{2}} and {{1}}, {{ 1 }}',
	url: 'https://example.com/{{1}}',
};
const upper = [
	{ type: 'HEADER', format: 'TEXT', text: parts.header },
	{ type: 'BODY', text: parts.body },
	{ type: 'FOOTER', text: 'Bye' },
	{
		type: 'BUTTONS',
		buttons: [
			{ type: 'QUICK_REPLY', text: 'Yes' },
			{ type: 'URL', text: 'Track', url: parts.url },
		],
	},
];
const lower = [
	{ type: 'header', format: 'text', text: parts.header },
	{ type: 'body', text: parts.body },
	{ type: 'footer', text: 'Bye' },
	{ type: 'button', text: 'Yes' },
	{ type: 'button', text: 'Track', url: parts.url },
];
const whole = {
	name: 'order',
	language: 'en_US',
	isRefused: false,
	header: parts.header,
	body: parts.body,
	footer: 'Bye',
	buttons: [{ text: 'Yes' }, { text: 'Track', url: parts.url }],
	pdf: undefined,
	variables: [
		{ id: 'header_1', text: parts.header },
		{ id: 'body_1', text: parts.body },
		{ id: 'body_2', text: parts.body },
		{ id: 'button2_1', text: parts.url },
	],
};

const order = { name: 'order', language: 'en_US' };
const approved = { status: 'APPROVED', components: upper };

test.each<[string, object]>([
	['components in upper case', { ...order, ...approved }],
	['components in lower case', { templateName: 'order', locale: 'en_US', components: lower }],
	['a language with a code', { ...order, ...approved, language: { code: 'en_US' } }],
	['languages within it', { name: 'order', languages: [{ language: 'en_US', ...approved }] }],
])('%s are understood', (_, record) => {
	expect(readTemplates(record as Record<string, unknown>)).toEqual([
		expect.objectContaining(whole),
	]);
});

test('several languages of one record are several templates', () => {
	const languages = [
		{ id: 1, language: 'en_US', status: 'APPROVED' },
		{ id: 2, language: 'de_DE', status: 'PENDING' },
	];
	const templates = readTemplates({ id: 7, name: 'order', components: upper, languages });
	expect(templates.map(({ id, language, isRefused }) => [id, language, isRefused])).toEqual([
		['1', 'en_US', false],
		['2', 'de_DE', true],
	]);
	const asText = readTemplates({ name: 'order', languages: ['en_US', 'de_DE'] });
	expect(asText.map(({ language }) => language)).toEqual(['en_US', 'de_DE']);
});

test('named variables of any script stay in their order', () => {
	const text = '{{z}} {{ a.b }} {{z}} {{größe}} {{ 名前 }} {{first name}} {{ }}';
	const [{ variables }] = readTemplates({ name: 'x', components: [{ type: 'body', text }] });
	const names = ['z', 'a.b', 'größe', '名前', 'first name'];
	expect(variables?.map(({ id }) => id)).toEqual(names.map((name) => `body_${name}`));
});

test.each([
	[{}, undefined],
	[{ components: [] }, undefined],
	[{ components: [{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }] }, undefined],
	[{ components: [{ type: 'BODY', add_security_recommendation: true }] }, undefined],
	[{ body: 'Hi' }, undefined],
	[{ components: [{ type: 'BODY', text: 'Hi' }] }, []],
])('%j shows which variables there are: %j', (fields, variables) => {
	expect(readTemplates({ name: 'x', ...fields })).toMatchObject([{ variables }]);
});

test.each([
	[{ category: 'UTILITY', headerDocumentAttached: false }, 'needed'],
	[{ category: 'utility', header_document_attached: true }, 'optional'],
	[{}, 'optional'],
	[{ category: 'MARKETING' }, 'optional'],
])('a document header of %j: the PDF is %s', (fields, pdf) => {
	expect(
		readTemplates({ name: 'x', ...fields, components: [{ type: 'Header', format: 'Document' }] }),
	).toMatchObject([{ pdf, header: 'document' }]);
});

test.each([{}, { name: '' }, { components: 'no JSON' }, { name: 7 }])(
	'%j is no template',
	(record) => {
		expect(readTemplates(record)).toEqual([]);
	},
);

test.each([
	['PENDING', true],
	['IN_REVIEW', true],
	['Rejected', true],
	['inactive', true],
	['APPROVED', false],
	['APPROVED_PENDING_QUALITY', false],
	['Active - Quality pending', false],
	['quality-hold', false],
	[undefined, false],
])('the status %j refuses clearly: %s', (status, isRefused) => {
	expect(readTemplates({ name: 'x', status })).toMatchObject([{ isRefused }]);
});
