/** Send Text with a fallback template: nobody gets both, and if somebody gets neither, the item says so. */
import { omit, pick } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { FaultOrder } from '../../sandbox/faults';
import type { RunOptions } from '../support/execution';
import { useService } from '../support/service';

const service = useService();
const [anna, berta, carl] = [1, 2, 3].map((n) => `+1555000100${n}`);
const parameters: INodeParameters = {
	resource: 'message',
	operation: 'sendText',
	to: '={{ $json.phone }}',
	text: 'Hello',
	useFallbackTemplate: true,
	fallbackTemplate: { mode: 'name', value: 'login_code' },
	fallbackLanguage: { mode: 'code', value: 'en_US' },
	fallbackVariables: { mappingMode: 'defineBelow', value: { body_1: '={{ $json.phone }}' } },
};
const run = async ({ own = {}, ...options }: RunOptions & { own?: INodeParameters } = {}) =>
	await service.run({
		items: [{ phone: anna }, { phone: berta }, { phone: carl }],
		onError: 'continueRegularOutput',
		...options,
		parameters: { ...parameters, ...own },
	});

type Fault = Omit<FaultOrder, 'endpoint' | 'match'>;

/** What can become of a text: whether the template may follow, and whether the customer may have got it. */
const texts: Record<string, Fault & { follows?: boolean; isUncertain?: boolean }> = {
	accepted: {},
	'refused with 200': { status: 200, body: { success: false, message: 'No' }, follows: true },
	'refused with 400': { status: 400, follows: true },
	'refused with 404': { status: 404, follows: true },
	'refused with 409': { status: 409, follows: true },
	'refused with 422': { status: 422, follows: true },
	'redirected with 307': { status: 307, headers: { location: 'https://example.com' } },
	'refused with 401': { status: 401 },
	'refused with 403': { status: 403 },
	'refused once with 429': { status: 429, headers: { 'retry-after-ms': '1' } },
	'sent, and 500': { status: 500, processed: true, isUncertain: true },
	'not sent, and 500': { status: 500, isUncertain: true },
	'sent, and 408': { status: 408, processed: true, isUncertain: true },
	'sent, and the connection breaks': { reset: 'afterRead', isUncertain: true },
	'not sent, and the connection breaks': { reset: 'beforeRead', isUncertain: true },
	'sent, and the response is broken': { brokenJson: true, isUncertain: true },
};
const templates: typeof texts = pick(texts, [
	'accepted',
	'refused with 422',
	'refused with 403',
	'sent, and 500',
	'sent, and the connection breaks',
	'not sent, and the connection breaks',
]);

test('whatever becomes of text and template: nobody gets both, and if somebody gets neither, the item says so', async () => {
	const cases = Object.keys(texts).flatMap((text) =>
		Object.keys(templates).map((template) => ({ text, template })),
	);
	const items = cases.map((one, index) => ({ ...one, phone: `+1555000${2000 + index}` }));
	for (const { text, template, phone } of items) {
		const [first, second] = [texts[text], templates[template]];
		const order = (fault: typeof first) => omit(fault, 'follows', 'isUncertain');
		await service.fault({ endpoint: 'sendText', match: phone, ...order(first) });
		await service.fault({ endpoint: 'sendTemplate', match: phone, ...order(second) });
	}
	const { outputs } = await run({ items });
	const received = service.received();
	outputs[0].forEach(({ json }, index) => {
		const { text, template, phone } = items[index];
		const { follows, isUncertain } = texts[text];
		const isTextSent = text === 'accepted' || text === 'refused once with 429';
		const last = follows ? template : text;
		const isSent = isTextSent || last === 'accepted';
		const isUnknown = follows ? templates[template].isUncertain : isUncertain;
		const failed = isUnknown ? 'mayHaveBeenSent' : 'notSent';
		expect({ text, template, sendStatus: json.sendStatus, sentAs: json.sentAs }).toEqual({
			text,
			template,
			sendStatus: isSent ? 'sent' : failed,
			sentAs: isSent ? (follows ? 'template' : 'text') : undefined,
		});
		const wasProcessed = isSent || last.startsWith('sent');
		expect({ text, template, count: received[phone] ?? 0 }).toEqual({
			text,
			template,
			count: wasProcessed ? 1 : 0,
		});
	});
});

test('when both are refused, the error says why for each', async () => {
	await service.fault({
		endpoint: 'sendText',
		match: berta,
		status: 422,
		body: { message: 'window closed' },
	});
	await service.fault({
		endpoint: 'sendTemplate',
		match: berta,
		status: 422,
		body: { message: 'blocked' },
	});
	const { error } = (await run()).outputs[0][1].json as { error: Record<string, string> };
	expect(error.message).toContain('blocked');
	expect(error.description).toContain('The text was refused before');
	expect(error.description).toContain('window closed');
});

test('a fallback template that does not fit stops the run before anything is sent', async () => {
	const { outputs } = await run({ own: { fallbackVariables: { value: {} } } });
	expect(outputs[0].map(({ json }) => json.sendStatus)).toEqual(['notSent', 'notSent', 'notSent']);
	expect(outputs[0][0].json.reason).toContain('The template "login_code" (en_US) needs a value');
	expect(service.sent()).toEqual([]);
});
