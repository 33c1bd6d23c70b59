/** How the sandbox signs its deliveries. Assumption: the specification shows no signature. */
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/**
 * The headers for a body, none without a secret: an HMAC of SHA-256 as the trigger expects it by default, and for a secret that
 * begins with `whsec_` also those of https://www.standardwebhooks.com.
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
