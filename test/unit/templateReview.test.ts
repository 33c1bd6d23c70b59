/** How messages are compared with the templates of the service, and what that costs. */
import range from 'lodash/range';
import { reviewTemplate } from '../../nodes/BusinessMessaging/operations/sending/templateReview';
import { readTemplates } from '../../nodes/BusinessMessaging/reading/readTemplates';
import type { TemplateList } from '../../nodes/BusinessMessaging/transport/templateList';

test('thousands of items whose templates do not exist do not look through the whole list each, and no name is compared in each language', () => {
	let reads = 0;
	const records = range(300).map((n) => ({
		language: 'en',
		get name() {
			reads++;
			return `template_${n % 50}`; // in six languages
		},
	}));
	const list = { records, isComplete: true } as unknown as TemplateList;
	const review = (name: string) => {
		const template = { name, language: 'en', isChecked: true, given: [] };
		reviewTemplate({ rules: { template } }, list);
	};
	for (const n of range(3_000))
		expect(() => review(`tenplate_${n % 500}`)).toThrow('The service has no template "tenplate_');
	expect(reads).toBeLessThan(2 * records.length);
});

test.each([
	['REJECTED', 'APPROVED'],
	['APPROVED', 'REJECTED'],
])('a template that is listed twice, as %s and as %s, can be sent', (...statuses) => {
	const records = statuses.flatMap((status) =>
		readTemplates({ name: 'a', language: 'de', status }),
	);
	const template = { name: 'a', language: 'de', isChecked: true, given: [] };
	const list = { records, isComplete: true } as unknown as TemplateList;
	expect(() => reviewTemplate({ rules: { template } }, list)).not.toThrow();
});
