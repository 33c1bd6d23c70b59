/** Settings with which no event could ever start an execution are refused when the workflow is published. */
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import { signed, Triggers, useService } from '../../../harness/engine/service';

const service = useService();
const triggers = new Triggers(service);
const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const activate = async (
	parameters: INodeParameters,
	values: ICredentialDataDecryptedObject = { webhookSecret },
) => await triggers.active({ parameters, credentials: service.credentials(values) });
const byHand: INodeParameters = { options: { registration: 'manual', requireSecret: true } };

test.each([signed({ header: ' ' }), signed({ header: '', scheme: 'sha512-base64' })])(
	'%j: a header without a name',
	async (parameters) => {
		await expect(activate(parameters)).rejects.toThrow(
			/'Header' of 'Signature' is empty.*Enter the name of the header/,
		);
		expect(service.calls('createWebhook')).toBe(0);
	},
);

test.each<INodeParameters>([{ events: [] }, { events: [], options: { otherEvents: ' , ' } }])(
	'%j: no event',
	async (parameters) => {
		await expect(activate(parameters)).rejects.toThrow(
			/No event type is chosen.*Choose at least one/,
		);
	},
);

test('a header that the scheme does not use may be empty', async () => {
	await activate(signed({ header: '', scheme: 'standardWebhooks' }));
});

const withoutSecret: ICredentialDataDecryptedObject[] = [
	{},
	{ webhookSecret: '' },
	{ webhookSecret: ' \n' },
];

test.each(
	[signed({}), byHand].flatMap((parameters) =>
		withoutSecret.map((values) => [parameters, values] as const),
	),
)('%j without a secret: %j', async (parameters, values) => {
	await expect(activate(parameters, values)).rejects.toThrow(
		/'Webhook Secret' of the credential is empty.*Enter it there/,
	);
});

test('a secret is not necessary where nothing is checked', async () => {
	await activate({ options: { requireSecret: true } }, {});
	await activate({ options: { registration: 'manual' } }, {});
});
