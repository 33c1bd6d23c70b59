/** Signs the sandbox's deliveries. Assumption: the specification shows no signature. */
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/**
 * The headers that sign a body with an HMAC of SHA-256; none without a secret. For a secret that begins with `whsec_`,
 * those of https://www.standardwebhooks.com are added.
 */
export function signatureHeaders(secret: string, body: string, id: string): Record<string, string> {
	if (secret === '') return {};
	const hmac = createHmac('sha256', secret).update(body).digest('hex');
	return { 'x-signature': hmac, ...(secret.startsWith('whsec_') && standard(secret, body, id)) };
}

function standard(secret: string, body: string, id: string): Record<string, string> {
	const now = new Date();
	return {
		'webhook-id': id,
		'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
		'webhook-signature': new Webhook(secret).sign(id, now, body),
	};
}
