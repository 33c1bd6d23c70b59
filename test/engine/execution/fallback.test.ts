/** Send Text with a fallback template: nobody gets both messages, and if a person gets none, the item says so. */
import type { INodeParameters } from 'n8n-workflow';

import type { FaultOrder } from '../../../sandbox/faults';
import { locator, sendText, useService } from '../../../harness/engine/service';

const service = useService();
const run = async (items: Array<{ phone: string }>, own: INodeParameters = {}) => {
	const parameters = {
		...sendText,
		to: '={{ $json.phone }}',
		useFallbackTemplate: true,
		fallbackTemplate: locator('login_code', 'name'),
		fallbackLanguage: locator('en_US', 'code'),
		fallbackVariables: { mappingMode: 'defineBelow', value: { body_1: '={{ $json.phone }}' } },
		...own,
	};
	const { outputs } = await service.run({ items, onError: 'continueRegularOutput', parameters });
	return outputs[0].map(({ json }) => json);
};

/** The result of a message: whether it was certainly refused, and whether the customer got it or may have got it. */
interface Fate {
	isRefused?: boolean;
	isSent?: boolean;
	isUncertain?: boolean;
}
const refused = { isRefused: true };
const sent = { isSent: true };
const elsewhere = { location: 'https://example.com' };
const soon = { 'retry-after-ms': '1' };

const texts: Record<string, [FaultOrder, Fate]> = {
	accepted: [{}, sent],
	'refused with 200': [{ status: 200, body: { success: false, message: 'No' } }, refused],
	'refused with 400': [{ status: 400 }, refused],
	'refused with 422': [{ status: 422 }, refused],
	// The service may have the text already, from an attempt whose response was lost.
	'refused with 409': [{ status: 409 }, { isUncertain: true }],
	'refused with 422 as a duplicate': [
		{ status: 422, body: { error: { code: 'DUPLICATE_MESSAGE', message: 'Not allowed' } } },
		{ isUncertain: true },
	],
	'refused with 200 as sent before': [
		{ status: 200, body: { success: false, message: 'This message was already sent' } },
		{ isUncertain: true },
	],
	'redirected with 307': [{ status: 307, headers: elsewhere }, {}],
	'refused with 401': [{ status: 401 }, {}],
	'refused with 403': [{ status: 403 }, {}],
	'refused once with 429': [{ status: 429, headers: soon }, sent],
	'sent, but answered with 500': [
		{ status: 500, processed: true },
		{ ...sent, isUncertain: true },
	],
	'not sent, and answered with 500': [{ status: 500 }, { isUncertain: true }],
	'sent, but gets no response': [{ reset: 'afterRead' }, { ...sent, isUncertain: true }],
	'not sent, and gets no response': [{ reset: 'beforeRead' }, { isUncertain: true }],
};
const templates = [
	'accepted',
	'refused with 422',
	'sent, but answered with 500',
	'not sent, and gets no response',
];

test('a template has another idempotency key than its text, because services repeat their response to a known key', async () => {
	service.fault({ endpoint: 'sendText', status: 422 });
	service.fault({ endpoint: 'sendTemplate', status: 429, headers: soon });
	await run([{ phone: '+15550002000' }]);
	const keysOf = (endpoint: 'sendText' | 'sendTemplate') =>
		service.requests(endpoint).map(({ headers }) => headers['idempotency-key']);
	const [text, template, again] = [...keysOf('sendText'), ...keysOf('sendTemplate')];
	expect([template === text, again === template]).toEqual([false, true]);
});

test.each(Object.keys(texts))(
	'a text that is %s never reaches the customer together with a template',
	async (text) => {
		const [fault, { isRefused }] = texts[text];
		const items = templates.map((template, n) => ({ template, phone: `+1555000200${n}` }));
		for (const { template, phone } of items) {
			const [templateFault] = texts[template];
			service.fault({ endpoint: 'sendText', match: phone, ...fault });
			service.fault({ endpoint: 'sendTemplate', match: phone, ...templateFault });
		}
		const outputs = await run(items);
		const received = service.received();
		const results = items.map(({ template, phone }, n) => {
			const { sendStatus, sentAs } = outputs[n];
			return { template, sendStatus, sentAs, count: received[phone] ?? 0 };
		});
		const expected = items.map(({ template }) => {
			const [, { isSent, isUncertain }] = texts[isRefused ? template : text];
			const count = isSent ? 1 : 0;
			if (isUncertain) return { template, sendStatus: 'mayHaveBeenSent', count };
			if (!isSent) return { template, sendStatus: 'notSent', count };
			return { template, sendStatus: 'sent', sentAs: isRefused ? 'template' : 'text', count };
		});
		expect(results).toEqual(expected);
	},
);

test('Additional Fields are sent with the text and with the template', async () => {
	const field = [
		{ name: 'senderId', type: 'text', value: 'shop-2' },
		{ name: 'tags', type: 'json', value: '["spring"]' },
	];
	const phones = ['+15550001001', '+15550001002', '+15550001003'];
	service.fault({ endpoint: 'sendText', match: phones[1], status: 422 });
	await run(
		phones.map((phone) => ({ phone })),
		{ additionalFields: { field } },
	);
	const sentTo = service.requests('sendTemplate').map(({ body }) => body);
	expect(sentTo).toEqual([
		{
			...{ to: phones[1], template: 'login_code', language: 'en_US' },
			...{ components: [expect.anything()], senderId: 'shop-2', tags: ['spring'] },
		},
	]);
	const texts = service.requests('sendText').map(({ body }) => body);
	expect(texts).toMatchObject(phones.map(() => ({ senderId: 'shop-2', tags: ['spring'] })));
});

test('when both are refused, the error says why for each', async () => {
	const refusal = (message: string) => ({ status: 422, body: { message } });
	service.fault({ endpoint: 'sendText', ...refusal('window closed') });
	service.fault({ endpoint: 'sendTemplate', ...refusal('blocked') });
	const [{ error, details }] = await run([{ phone: '+15550001001' }]);
	expect(error).toContain('blocked');
	expect(details).toMatchObject({
		description: expect.stringMatching(
			/Before that, the service refused the text: .*window closed/,
		),
	});
});

test('a fallback template that does not fit is refused before anything is sent', async () => {
	const [{ sendStatus, reason }] = await run([{ phone: '+15550001001' }], {
		fallbackVariables: { value: {} },
	});
	expect(sendStatus).toBe('notSent');
	expect(reason).toContain('The template "login_code" (en_US) needs a value');
	expect(service.sent()).toEqual([]);
});

test('if the service refuses texts to people who have not written lately, only these people get the template', async () => {
	const [anna, berta, carl] = [1, 2, 3].map((n) => `+1555000300${n}`);
	service.sandbox.state.settings.textWindowMs = 3_600_000;
	service.sandbox.state.traffic.receive({ from: berta, text: 'Hello' });
	const outputs = await run([anna, berta, carl].map((phone) => ({ phone })));
	expect(outputs.map(({ sendStatus, sentAs }) => [sendStatus, sentAs])).toEqual([
		['sent', 'template'],
		['sent', 'text'],
		['sent', 'template'],
	]);
	const received = service.sent().map(({ phone, text }) => [phone, text]);
	expect(Object.fromEntries(received)).toEqual({
		[anna]: `${anna} is your login code.`,
		[berta]: 'Hi',
		[carl]: `${carl} is your login code.`,
	});
});
