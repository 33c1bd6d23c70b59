/** Signatures on deliveries, in the forms that services of this kind use. Assumption: the specification shows none. */
import { createHash, createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

/** How deliveries are signed. */
export const signingSchema = z
	.object({
		/** `standardWebhooks`: as standardwebhooks.com; `hmac`: as the fields below the secret say. */
		scheme: z.enum(['standardWebhooks', 'hmac']).default('hmac'),
		/** The key; base64 after `whsec_` for `standardWebhooks`. */
		secret: z.string().min(1),
		header: z.string().min(1).default('X-Signature'),
		algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
		encoding: z.enum(['hex', 'base64']).default('hex'),
		/** Text before the signature. */
		prefix: z.string().default(''),
		/** Name of a header with the time in Unix seconds; with it, the time, a dot and the body are signed. */
		timestampHeader: z.string().min(1).optional(),
	})
	.strict()
	.refine(
		({ scheme, secret }) =>
			scheme !== 'standardWebhooks' || /^(whsec_)?[\w+/]+={0,2}$/.test(secret),
		{
			message: 'must be base64, with or without whsec_ before it',
			path: ['secret'],
		},
	);
export type Signing = z.output<typeof signingSchema>;

/** The headers that sign a body. */
export function signatureHeaders(
	signing: Signing,
	body: string,
	now: Date,
): Record<string, string> {
	const seconds = String(Math.floor(now.getTime() / 1000));
	const digest = (text: string) =>
		createHmac(signing.algorithm, signing.secret).update(text).digest(signing.encoding);
	if (signing.scheme === 'standardWebhooks') {
		const id = eventId(body);
		return {
			'webhook-id': id,
			'webhook-timestamp': seconds,
			'webhook-signature': new Webhook(signing.secret).sign(id, now, body),
		};
	}
	const { header, prefix, timestampHeader } = signing;
	const signature = prefix + digest(timestampHeader ? `${seconds}.${body}` : body);
	return { ...(timestampHeader && { [timestampHeader]: seconds }), [header]: signature };
}

/** The same for each delivery of an event, as Standard Webhooks demands. */
function eventId(body: string): string {
	return `evt_${createHash('sha256').update(body).digest('hex').slice(0, 24)}`;
}
