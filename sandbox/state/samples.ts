/** The data of a new sandbox. */
import type { TemplateFields, TemplateStatus } from './templates';

const text = (header: string) => ({ type: 'HEADER', format: 'TEXT', text: header }) as const;
const media = (format: 'DOCUMENT' | 'IMAGE') => ({ type: 'HEADER', format }) as const;
const body = (words: string) => ({ type: 'BODY', text: words }) as const;
const footer = (words: string) => ({ type: 'FOOTER', text: words }) as const;
const replies = (...labels: string[]) => ({
	type: 'BUTTONS' as const,
	buttons: labels.map((label) => ({ type: 'QUICK_REPLY', text: label })),
});
const link = (label: string, url: string) => ({
	type: 'BUTTONS' as const,
	buttons: [{ type: 'URL', text: label, url }],
});

type Sample = TemplateFields & { status?: TemplateStatus };

function template(
	name: string,
	language: string,
	category: string,
	components: Sample['components'],
): Sample {
	return { name, language, category, components };
}

/** Templates in several languages and categories, with different approval statuses. */
export const sampleTemplates: Sample[] = [
	template('welcome', 'en_US', 'UTILITY', [
		media('DOCUMENT'),
		body('Hello {{1}}, welcome to {{2}}! Our brochure is attached. Reply with any question.'),
		footer('Reply STOP to unsubscribe'),
		replies('Tell me more', 'No, thanks'),
	]),
	template('welcome', 'de_DE', 'UTILITY', [
		media('DOCUMENT'),
		body(
			'Hallo {{1}}, willkommen bei {{2}}! Unsere Broschüre liegt bei. Antworten Sie mit jeder Frage.',
		),
		footer('Mit STOP abmelden'),
		replies('Mehr erfahren', 'Nein, danke'),
	]),
	template('order_update', 'en_US', 'UTILITY', [
		text('Order {{1}}'),
		body('Hi {{1}}, your order has left our warehouse and arrives on {{2}}.'),
		link('Track the parcel', 'https://shop.example.com/orders/{{1}}'),
	]),
	template('order_shipped', 'en_US', 'UTILITY', [
		media('DOCUMENT'),
		body(
			'Hi {{1}}, your order {{2}} has left our warehouse and arrives on {{3}}. The invoice is attached.',
		),
		replies('Change the delivery'),
	]),
	{
		...template('invoice', 'en_US', 'UTILITY', [
			media('DOCUMENT'),
			body('Dear {{1}}, please find our terms and your invoice attached.'),
		]),
		headerDocumentAttached: true,
	},
	template('invoice', 'es_ES', 'UTILITY', [
		media('DOCUMENT'),
		body('Hola {{1}}, adjuntamos su factura.'),
	]),
	template('appointment_reminder', 'en_US', 'UTILITY', [
		body('{{1}}, this is a reminder of your appointment on {{2}} at {{3}}.'),
		replies('Confirm', 'Reschedule'),
	]),
	template('spring_sale', 'en_US', 'MARKETING', [
		media('IMAGE'),
		body('{{1}}, everything is 20 % off until Sunday.'),
		footer('Reply STOP to unsubscribe'),
	]),
	template('login_code', 'en_US', 'AUTHENTICATION', [body('{{1}} is your login code.')]),
	template('opening_hours', 'en_US', 'MARKETING', [
		body('We have new opening hours: Monday to Saturday, 9 to 18.'),
	]),
	{
		...template('flash_offer', 'en_US', 'MARKETING', [body('Only today, {{1}}: two for one.')]),
		status: 'PENDING',
	},
	{
		...template('prize_draw', 'en_US', 'MARKETING', [body('You have won, {{1}}!')]),
		status: 'REJECTED',
	},
];

const people = [
	{ name: 'Ada Lovelace', segments: ['customers', 'newsletter'] },
	{ name: 'Grace Hopper', segments: ['customers'] },
	{ name: 'Alan Turing', segments: ['newsletter'] },
	{ name: 'Katherine Johnson', segments: ['customers', 'vip'] },
	{ name: 'Edsger Dijkstra', segments: [] },
];

/** The sample contact at an index, counted from 0. Its number is not in use in any country. */
export function sampleContact(index: number) {
	const turn = Math.floor(index / people.length);
	const { name, segments } = people[index % people.length];
	return {
		phone: `+1555${String(1_000_000 + index)}`,
		name: turn === 0 ? name : `${name} ${turn + 1}`,
		segments,
	};
}
