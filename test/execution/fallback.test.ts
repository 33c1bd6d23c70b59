/** Send Text with a fallback template: never both, never neither without a word. */
import type { INodeParameters } from 'n8n-workflow';

import type { FaultOrder } from '../../sandbox/faults';
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
const run = async (own: INodeParameters = {}) =>
	await service.run({
		parameters: { ...parameters, ...own },
		items: [{ phone: anna }, { phone: berta }, { phone: carl }],
		onError: 'continueRegularOutput',
	});

type Fault = Omit<FaultOrder, 'endpoint' | 'match'>;
const refused: Fault = { status: 422 };
const uncertain: Fault = { reset: 'afterRead' };
const fine: Fault | undefined = undefined;

/** What happens to Berta's text and template, and then: what she gets, and what the node says. */
test.each<[string, Fault | undefined, Fault | undefined, object]>([
	['the text is accepted', fine, fine, { sendStatus: 'sent', sentAs: 'text' }],
	['the text is refused', refused, fine, { sendStatus: 'sent', sentAs: 'template' }],
	['the fate of the text is unknown', uncertain, fine, { sendStatus: 'mayHaveBeenSent' }],
	['both are refused', refused, refused, { sendStatus: 'notSent' }],
	['the fate of the template is unknown', refused, uncertain, { sendStatus: 'mayHaveBeenSent' }],
	['the key is not allowed to send', { status: 403 }, fine, { sendStatus: 'notSent' }],
])('if %s', async (_, text, template, expected) => {
	if (text) await service.fault({ endpoint: 'sendText', match: berta, ...text });
	if (template) await service.fault({ endpoint: 'sendTemplate', match: berta, ...template });
	const { outputs } = await run();
	expect(outputs[0][1].json).toMatchObject({ to: berta, ...expected });
	const toBerta = service.sent().filter(({ phone }) => phone === berta);
	const isSent = 'sentAs' in expected;
	if (isSent) expect(toBerta).toHaveLength(1);
	else expect(toBerta.length).toBeLessThanOrEqual(1);
	expect(service.calls('sendTemplate')).toBe(text === refused ? 1 : 0);
	const others = outputs[0].filter((__, index) => index !== 1);
	expect(others.map(({ json }) => json.sentAs)).toEqual(['text', 'text']);
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
	const { outputs } = await run({ fallbackVariables: { value: {} } });
	expect(outputs[0].map(({ json }) => json.sendStatus)).toEqual(['notSent', 'notSent', 'notSent']);
	expect(outputs[0][0].json.reason).toContain('The template "login_code" (en_US) needs a value');
	expect(service.sent()).toEqual([]);
});
