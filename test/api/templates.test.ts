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
	approval: 'approved',
	header: parts.header,
	body: parts.body,
	footer: 'Bye',
	buttons: ['Yes', 'Track'],
	headerPdf: 'none',
	variables: [
		{ part: 'header', name: '1', text: parts.header },
		{ part: 'body', name: '1', text: parts.body },
		{ part: 'body', name: '2', text: parts.body },
		{ part: 'button', button: 2, name: '1', text: parts.url },
	],
};

test.each([
	[
		'components in upper case',
		{ name: 'order', language: 'en_US', status: 'APPROVED', components: upper },
	],
	[
		'components in lower case',
		{ templateName: 'order', locale: 'en_US', state: 'active', components: lower },
	],
	[
		'components as JSON text',
		{
			name: 'order',
			language: { code: 'en_US' },
			status: 'approved',
			components: JSON.stringify(upper),
		},
	],
	[
		'fields named after the parts',
		{
			name: 'order',
			language: 'en_US',
			status: 'enabled',
			header: parts.header,
			body: { text: parts.body },
			footer: 'Bye',
			buttons: [{ text: 'Yes' }, { title: 'Track', url: parts.url }],
		},
	],
	[
		'languages within the template',
		{ name: 'order', languages: [{ language: 'en_US', status: 'APPROVED', components: upper }] },
	],
])('%s are understood', (_, record) => {
	expect(readTemplates(record)).toEqual([expect.objectContaining(whole)]);
});

test('several languages of one record are several templates', () => {
	const languages = [
		{ id: 1, language: 'en_US', status: 'APPROVED' },
		{ id: 2, language: 'de_DE', status: 'PENDING' },
	];
	const templates = readTemplates({ id: 7, name: 'order', components: upper, languages });
	expect(templates.map(({ id, language, approval }) => [id, language, approval])).toEqual([
		['1', 'en_US', 'approved'],
		['2', 'de_DE', 'notApproved'],
	]);
	expect(
		readTemplates({ name: 'order', languages: ['en_US', 'de_DE'] }).map(({ language }) => language),
	).toEqual(['en_US', 'de_DE']);
});

test('named variables stay in their order', () => {
	const [{ variables }] = readTemplates({
		name: 'x',
		components: [{ type: 'body', text: '{{z}} {{ a.b }} {{z}}' }],
	});
	expect(variables.map(({ name }) => name)).toEqual(['z', 'a.b']);
});

test.each([
	[{ category: 'UTILITY', headerDocumentAttached: false }, 'needed'],
	[{ category: 'utility', header_document_attached: true }, 'optional'],
	[{ category: 'UTILITY' }, 'unknown'],
	[{}, 'unknown'],
	[{ category: 'MARKETING' }, 'optional'],
])('a document header of %j: the PDF is %s', (fields, headerPdf) => {
	expect(
		readTemplates({ name: 'x', ...fields, components: [{ type: 'Header', format: 'Document' }] }),
	).toMatchObject([{ headerPdf, variables: [] }]);
});

test.each([{}, { name: '' }, { components: 'no JSON' }, { name: 7 }])(
	'%j is no template',
	(record) => {
		expect(readTemplates(record)).toEqual([]);
	},
);

test('words for an approval that are not known refuse nothing', () => {
	const approvals = ['quality-hold', undefined, 'IN_REVIEW', 'Rejected'].map(
		(status) => readTemplates({ name: 'x', status })[0].approval,
	);
	expect(approvals).toEqual(['unknown', 'unknown', 'notApproved', 'notApproved']);
});
