/** Templates for the tests of lists and forms. */
import { range } from 'lodash';

import type { State } from '../../sandbox';

const welcomeValues = {
	headerPdfUrl: 'https://example.com/brochure.pdf',
	body_1: '=Anna {{ $json.n }}',
	body_2: 'Acme',
};
/** Parameters that send the sandbox's template with a PDF and two variables; the first variable is the number of the item. */
export const welcomeParameters = {
	template: { __rl: true, mode: 'name', value: 'welcome' },
	language: 'en_US',
	variables: { mappingMode: 'defineBelow', value: welcomeValues, schema: [] },
};

/** Twelve languages. */
export const languages =
	'ar_EG de_DE en_GB en_US es_ES fr_FR hi_IN it_IT ja_JP nl_NL pt_BR tr_TR'.split(' ');

/** The fields of the form for the template `big_order`, in their order. */
export const bigFields = ['header_1', ...range(1, 9).map((n) => `body_${n}`), 'button2_1'];
const bigText =
	'Hello {{1}} {{2}}, your order from {{3}} over {{4}} arrives on {{5}} between {{6}} and {{7}}. Ask {{8}} for help.';
const track = { type: 'URL', text: 'Track', url: 'https://shop.example.com/track/{{1}}' };

/** Adds templates up to 500: `big_order` in all languages, with 10 variables; and others, every tenth not approved. */
export function addManyTemplates({ templates }: State): void {
	for (const language of languages) {
		const components = [
			{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
			{ type: 'BODY', text: `${language}: ${bigText}` },
			{ type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }, track] },
		];
		templates.create({ name: 'big_order', language, category: 'UTILITY', components }, 'APPROVED');
	}
	const components = [{ type: 'BODY', text: 'Hi {{1}}' }];
	for (let n = 1000; templates.all.length < 500; n++) {
		const status = n % 10 === 0 ? 'PENDING' : 'APPROVED';
		templates.create({ name: `note_${n}`, language: 'en_US', components }, status);
	}
}
