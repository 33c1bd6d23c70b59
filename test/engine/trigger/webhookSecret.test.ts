/**
 * The Webhook Secret of the credential: as the secret that a URL registered by hand must contain, and as the key of the
 * sandbox's signatures.
 */
import type { INodeParameters } from 'n8n-workflow';

import { customer, received, signed, Triggers, useService } from '../../../harness/engine/service';
import { until } from '../../../harness/until';

const service = useService({ deliveryAttempts: 1 });
const triggers = new Triggers(service);

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const otherSecret = 'whsec_bm90aGluZw==';

test('with Require Secret, only the secret of the credential is accepted; if it is removed later, nothing is accepted', async () => {
	const credentials = service.credentials({ webhookSecret: secret });
	const parameters = { options: { registration: 'manual', requireSecret: true } };
	const trigger = await triggers.active({ parameters, credentials });
	const statusOf = async (query: string, headers = {}) =>
		(await trigger.deliver(received({ id: query }), headers, trigger.url + query)).status;
	expect(await statusOf(`?token=${secret}`)).toBe(200);
	expect(await statusOf('', { 'X-Webhook-Token': secret })).toBe(200);
	expect(await statusOf('?token=wrong')).toBe(401);
	credentials.webhookSecret = '';
	for (const query of ['', '?token=', `?token=${secret}`]) expect(await statusOf(query)).toBe(401);
	expect(await statusOf('', { 'X-Webhook-Token': '' })).toBe(401);
	expect(trigger.executions).toHaveLength(2);
});

test('spaces that were copied around the secret do not count', async () => {
	const credentials = service.credentials({ webhookSecret: ` ${secret}\n` });
	const parameters = { options: { registration: 'manual', requireSecret: true } };
	const trigger = await triggers.active({ parameters, credentials });
	const { status } = await trigger.deliver(received(), {}, `${trigger.url}?token=${secret}`);
	expect(status).toBe(200);
});

test.each(['ab+c/d==', '+', 'a b', 'a%2Bb', 'ä+ö'])(
	'with Require Secret, the secret "%s" is accepted in the URL, percent-encoded or as it is',
	async (webhookSecret) => {
		const credentials = service.credentials({ webhookSecret });
		const parameters = { options: { registration: 'manual', requireSecret: true } };
		const trigger = await triggers.active({ parameters, credentials });
		const encoded = encodeURIComponent(webhookSecret);
		const asWritten = encodeURI(webhookSecret);
		const statusOf = async (token: string) =>
			(await trigger.deliver(received(), {}, `${trigger.url}?token=${token}`)).status;
		expect([await statusOf(encoded), await statusOf(asWritten)]).toEqual([200, 200]);
		expect([await statusOf(`${encoded}x`), await statusOf('')]).toEqual([401, 401]);
	},
);

test.each<INodeParameters>([
	signed({}),
	signed({ scheme: 'standardWebhooks' }),
	{ options: { signature: {} } },
])(
	'accepts deliveries that the sandbox signs with the same secret, and none that it signs with another one, with %j',
	async (parameters) => {
		const trigger = await triggers.active({
			parameters,
			credentials: service.credentials({ webhookSecret: secret }),
		});
		const { settings, traffic } = service.sandbox.state;
		const statusOf = async (text: string) => {
			const { deliveries } = traffic.receive({ from: customer, text });
			await until('the delivery', () => deliveries[0].state !== 'pending');
			return deliveries[0].attempts[0].status;
		};
		settings.webhookSecret = secret;
		expect(await statusOf('Right')).toBe(200);
		settings.webhookSecret = otherSecret;
		expect(await statusOf('Wrong')).toBe(401);
		settings.webhookSecret = '';
		expect(await statusOf('Unsigned')).toBe(401);
		expect(trigger.executions).toHaveLength(1);
	},
);
