/** Listed templates, in the forms that services use. */
import { set } from 'lodash';

import {
	type Template,
	readTemplates,
} from '../../../nodes/BusinessMessaging/reading/readTemplates';

type Part = Record<string, unknown>;

/** The only template in a record. */
function templateOf(record: Part): Template {
	const templates = readTemplates({ name: 'order', ...record });
	expect(templates).toHaveLength(1);
	return templates[0];
}

const body = { type: 'BODY', text: 'Hi {{1}}' };
const withParts = (...components: unknown[]) => templateOf({ components });
const idsIn = (...components: unknown[]) => withParts(...components).variables?.map(({ id }) => id);

test.each([
	'components',
	'parts',
	'template_components',
	'content.blocks',
	'data.attributes.sections',
])('the parts of a template are found under "%s"', (path) => {
	const parts = [
		{ type: 'header', format: 'text', text: 'Order {{1}}' },
		body,
		{ type: 'Footer', text: 'Reply STOP' },
		{ type: 'BUTTONS', buttons: [{ type: 'url', text: 'Track', url: 'https://a.test/{{1}}' }] },
	];
	const found = templateOf({ tags: [{ type: 'shop' }], ...set({}, path, parts) });
	expect(found.variables?.map(({ id }) => id)).toEqual(['header_1', 'body_1', 'button1_1']);
	expect(found).toMatchObject({ header: 'Order {{1}}', body: 'Hi {{1}}', footer: 'Reply STOP' });
});

test('a template with all parts', () => {
	const components = [
		{ type: 'FOOTER', text: 'Reply STOP' },
		{ type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Yes' }, 'No'] },
		{ type: 'BUTTONS', buttons: [{ text: 'Track', url: 'https://example.com/{{1}}' }] },
		{ type: 'BODY', text: 'Hi {{1}}, your order' },
		{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
	];
	const own = { id: 7, name: 'order', language: 'en_US', status: 'APPROVED' };
	expect(readTemplates({ ...own, components })).toEqual([
		{
			...own,
			id: '7',
			isRefused: false,
			variables: [
				{ id: 'header_1', text: 'Order {{1}}' },
				{ id: 'body_1', text: 'Hi {{1}}, your order' },
				{ id: 'button2_1', text: 'https://example.com/{{1}}' },
			],
			pdf: undefined,
			header: 'Order {{1}}',
			body: 'Hi {{1}}, your order',
			footer: 'Reply STOP',
			buttons: [{ text: 'Yes' }, { text: 'Track', url: 'https://example.com/{{1}}' }],
		},
	]);
});

test('a template of which only the name is known', () => {
	expect(readTemplates({ name: 'order' })).toEqual([
		{ name: 'order', isRefused: false, buttons: [] },
	]);
});

test.each<[Part, string[]]>([
	[{ name: 'order' }, ['order']],
	[{ template_name: 'order' }, ['order']],
	[{ templateName: 'order' }, ['order']],
	[{ elementName: 'order' }, ['order']],
	[{ template: 'order' }, ['order']],
	[{ Template: { name: 'order' } }, ['order']],
	[{ name: '', template: 'order' }, ['order']],
	[{ name: 7, template: 'order' }, ['order']],
	[{ full_name: 'order' }, []],
	[{ names: 'order' }, []],
	[{ templates: 'order' }, []],
	[{ name: '' }, []],
	[{}, []],
])('the name in %j is %j', (record, names) => {
	expect(readTemplates(record).map(({ name }) => name)).toStrictEqual(names);
});

test.each<[Part, string | undefined]>([
	[{ language: 'en_US' }, 'en_US'],
	[{ locale: 'en_US' }, 'en_US'],
	[{ Lang: 'en_US' }, 'en_US'],
	[{ language_code: 'en_US' }, 'en_US'],
	[{ languageCode: 'en_US' }, 'en_US'],
	[{ language: { code: 'en_US', name: 'English' } }, 'en_US'],
	[{ language: { name: 'en_US' } }, 'en_US'],
	[{ locale: { code: 'en_US' } }, 'en_US'],
	[{ language: ['en_US'] }, undefined],
	[{ language: null }, undefined],
	[{ language: '' }, undefined],
	[{ language_id: 'en_US' }, undefined],
	[{ default_language: 'en_US' }, undefined],
])('the language in %j is %j', (record, language) => {
	expect(templateOf(record).language).toBe(language);
});

describe('a template in several languages', () => {
	test.each(['translations', 'languages', 'localizations', 'versions'])('in %s', (key) => {
		const list = [{ language: 'en_US', status: 'APPROVED' }, { language: 'de_DE' }];
		expect(readTemplates({ name: 'order', status: 'PAUSED', [key]: list })).toMatchObject([
			{ name: 'order', language: 'en_US', status: 'APPROVED', isRefused: false },
			{ name: 'order', language: 'de_DE', status: 'PAUSED', isRefused: true },
		]);
	});

	test('as a list of codes', () => {
		const templates = readTemplates({ name: 'order', languages: ['en_US', 'de_DE'] });
		expect(templates.map(({ language }) => language)).toEqual(['en_US', 'de_DE']);
	});

	test('is one template if the list is empty, or is none', () => {
		for (const languages of [[], null, 'en_US', { en_US: 'Hi' }])
			expect(templateOf({ language: 'fr_FR', languages }).language).toBe('fr_FR');
	});

	test('is in the first list that has entries', () => {
		const record = { translations: [], languages: 'x', versions: ['en_US'] };
		expect(templateOf(record).language).toBe('en_US');
	});
});

test('a template has an ID that its record has under a usual name', () => {
	const records = [{ id: 7 }, { template_id: 't7' }, { message_id: 'm7' }];
	expect(records.map((record) => templateOf(record).id)).toEqual(['7', 't7', undefined]);
});

test.each<[unknown, string | undefined, boolean]>([
	...['PENDING', 'pending-review', 'Pending approval', 'PENDING_DELETION', 'IN_REVIEW'].map(
		(status): [string, string, boolean] => [status, status, true],
	),
	...['under  review', 'Rejected', 'declined', 'draft', 'submitted', 'paused', 'deleted'].map(
		(status): [string, string, boolean] => [status, status, true],
	),
	['DISABLED', 'DISABLED', true],
	['inactive', 'inactive', true],
	['APPROVED', 'APPROVED', false],
	['APPROVED_PENDING_QUALITY', 'APPROVED_PENDING_QUALITY', false],
	['Active - Quality pending', 'Active - Quality pending', false],
	['pending_quality', 'pending_quality', false],
	['', undefined, false],
	[3, undefined, false],
	[undefined, undefined, false],
])(
	'the status %j is %j; it means that the template cannot be sent: %s',
	(given, status, isRefused) => {
		expect(templateOf({ status: given })).toMatchObject({ status, isRefused });
		expect(templateOf({ approvalState: given })).toMatchObject({ status, isRefused });
		expect(templateOf({ quality_status: given })).toMatchObject({ isRefused: false });
	},
);

describe('variables', () => {
	test.each<[string, string[]]>([
		['Hi {{1}} and {{ 2 }}', ['body_1', 'body_2']],
		['Hi {{2}} and {{1}}, {{ 1 }}', ['body_1', 'body_2']],
		['{{10}} {{9}}', ['body_9', 'body_10']],
		['{{name}} {{1}}', ['body_name', 'body_1']],
		['{{10a}} {{9}}', ['body_10a', 'body_9']],
		['{{a10}} {{9}}', ['body_a10', 'body_9']],
		['{{ größe }} {{ }} {{}}', ['body_größe']],
		['{1} {{{2}}}', ['body_2']],
		['Hi', []],
	])('in %j are %j', (text, ids) => {
		expect(idsIn({ type: 'body', text })).toEqual(ids);
	});

	test('are unknown without the text of the body', () => {
		const url = 'https://example.com/{{1}}';
		const header = { type: 'HEADER', text: 'Order {{1}}' };
		expect(idsIn(header, { type: 'BUTTON', url })).toBeUndefined();
		expect(idsIn({ type: 'BODY', text: '' })).toBeUndefined();
		expect(idsIn({ type: 'BODY', text: 7 })).toBeUndefined();
		for (const components of [undefined, null, 'Hi {{1}}', body, ['Hi {{1}}', null]])
			expect(templateOf({ components }).variables).toBeUndefined();
	});

	test('are in the order of header, body and buttons', () => {
		const button = { type: 'button', title: 'Track', url: 'https://example.com/{{1}}' };
		const header = { type: 'header', format: 'text', text: 'Order {{1}}' };
		const list = { type: 'buttons', buttons: [{ text: 'Yes' }, { url: '/{{a}}/{{b}}' }] };
		expect(idsIn(list, { type: 'Button', text: 'No' }, button, body, header)).toEqual([
			...['header_1', 'body_1', 'button2_1', 'button4_a', 'button4_b'],
		]);
	});

	test('are not in the text under a picture', () => {
		expect(idsIn({ type: 'HEADER', format: 'IMAGE', text: '{{1}}' }, body)).toEqual(['body_1']);
	});
});

test.each<[Part[], Array<{ text: string; url?: string }>]>([
	[[{ type: 'button', text: 'Yes', title: 'No' }], [{ text: 'Yes' }]],
	[[{ type: 'button', title: 'Yes', url: '' }], [{ text: 'Yes' }]],
	[[{ type: 'button', url: '/a' }], [{ text: '', url: '/a' }]],
	[[{ type: 'button', url: ['/a'] }], [{ text: '' }]],
	[[{ type: 'buttons', buttons: 'Yes' }, { type: 'buttons' }], []],
	[[{ type: 'action', text: 'Yes' }, { text: 'Yes' }, { type: 7 }], []],
])('the buttons in %j are %j', (components, buttons) => {
	expect(withParts(...components).buttons).toEqual(buttons);
});

test('the first of several bodies and footers counts', () => {
	const footers = ['Reply STOP', 'Bye'].map((text) => ({ type: 'Footer', text }));
	const { body: text, footer } = withParts(body, { type: 'body', text: 'Bye' }, ...footers);
	expect([text, footer]).toEqual(['Hi {{1}}', 'Reply STOP']);
	expect(withParts({ type: 'footer', text: '' }).footer).toBeUndefined();
});

describe('a header', () => {
	test.each<[Part, string | undefined]>([
		[{ text: 'Hello' }, 'Hello'],
		[{ format: 'Text', text: 'Hello' }, 'Hello'],
		[{ format: 'TEXT' }, '[Text]'],
		[{ format: 'IMAGE' }, '[Image]'],
		[{ format: 'image', text: 'Hello' }, '[Image]'],
		[{ format: 'DOCUMENT' }, '[PDF]'],
		[{ mediaType: 'pdf' }, '[PDF]'],
		[{}, undefined],
	])('of %j is shown as %j', (header, shown) => {
		expect(withParts({ type: 'HEADER', ...header }).header).toBe(shown);
	});

	test.each<[Part, string | undefined]>([
		[{ headerType: 'DOCUMENT' }, 'optional'],
		[{ mediaType: 'pdf' }, 'optional'],
		[{ example: { url: 'https://example.com/a' } }, 'optional'],
		[{ mediaType: 'a pdf' }, 'optional'],
		[{}, 'optional'],
		[{ format: 'IMAGE' }, undefined],
		[{ format: 'IMAGE', mediaType: 'document' }, undefined],
		[{ text: 'Hello' }, undefined],
		[{ text: 'Document' }, undefined],
		[{ text: 'Hi {{1}}', example: 'PDF' }, undefined],
	])('of %j: the PDF is %s', (header, pdf) => {
		expect(withParts({ type: 'HEADER', ...header }, body).pdf).toBe(pdf);
	});

	test('with a word such as pdf as its only content is a document', () => {
		const shown = ['pdf', 'Document', 'pdf file', 'my document'].map(
			(example) => withParts({ type: 'HEADER', example }).header,
		);
		expect(shown).toEqual(['[PDF]', '[PDF]', undefined, undefined]);
	});

	test('is not there: no PDF', () => {
		expect(withParts(body).pdf).toBeUndefined();
		expect(templateOf({ headerDocumentAttached: false }).pdf).toBeUndefined();
	});
});

test.each<[Part, string]>([
	[{ category: 'UTILITY', headerDocumentAttached: false }, 'needed'],
	[{ headerDocumentAttached: false }, 'needed'],
	[{ category: '', attached: false }, 'needed'],
	[{ category: 'utility', header_document_attached: true }, 'optional'],
	[{ category: 'MARKETING', headerDocumentAttached: false }, 'optional'],
	[{ document: 'a.pdf', has_attachment: false }, 'needed'],
	[{ document: 'none', is_attached: 'false' }, 'optional'],
	[{ is_paused: false }, 'optional'],
	[{}, 'optional'],
])('a document header of a template with %j: the PDF is %s', (fields, pdf) => {
	const components = [{ type: 'Header', format: 'Document' }];
	expect(templateOf({ ...fields, components }).pdf).toBe(pdf);
});
