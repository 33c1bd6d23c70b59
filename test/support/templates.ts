/** Templates for the tests of lists and forms. */
import type { State } from '../../sandbox';

/** Parameters that send the sandbox's template with a PDF and two variables, whose first one numbers the items. */
export const welcomeParameters = {
	template: { __rl: true, mode: 'name', value: 'welcome' },
	language: 'en_US',
	variables: {
		mappingMode: 'defineBelow',
		value: {
			headerPdfUrl: 'https://example.com/brochure.pdf',
			body_1: '=Anna {{ $json.n }}',
			body_2: 'Acme',
		},
		schema: [],
	},
};

/** Twelve languages. */
export const languages =
	'ar_EG de_DE en_GB en_US es_ES fr_FR hi_IN it_IT ja_JP nl_NL pt_BR tr_TR'.split(' ');

/** A template in all of them, with 10 variables in header, body and buttons, and a PDF of its own or none. */
const big = {
	name: 'big_order',
	header: 'Order {{1}}',
	body: 'Hello {{1}} {{2}}, your order from {{3}} over {{4}} arrives on {{5}} between {{6}} and {{7}}. Ask {{8}} for help.',
	url: 'https://shop.example.com/track/{{1}}',
};

/** The fields of the form for it, in their order. */
export const bigFields = [
	'header_1',
	...Array.from({ length: 8 }, (_, index) => `body_${index + 1}`),
	'button2_1',
];

/** Fills a sandbox up to 500 templates: the big one, and others of which every tenth is not approved. */
export function addManyTemplates({ templates }: State): void {
	for (const language of languages) {
		const components = [
			{ type: 'HEADER', format: 'TEXT', text: big.header },
			{ type: 'BODY', text: `${language}: ${big.body}` },
			{
				type: 'BUTTONS',
				buttons: [
					{ type: 'QUICK_REPLY', text: 'Thanks' },
					{ type: 'URL', text: 'Track', url: big.url },
				],
			},
		];
		templates.create({ name: big.name, language, category: 'UTILITY', components }, 'APPROVED');
	}
	for (let index = 0; templates.all.length < 500; index++) {
		const name = `note_${String(index).padStart(3, '0')}`;
		templates.create(
			{ name, language: 'en_US', components: [{ type: 'BODY', text: 'Hi {{1}}' }] },
			index % 10 === 0 ? 'PENDING' : 'APPROVED',
		);
	}
}
