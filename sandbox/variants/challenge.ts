/** Services that call an address before they register it, to see whether its owner wants that. */
import axios from 'axios';
import { randomUUID } from 'node:crypto';

import { invalid } from '../errors';
import type { Choice } from './table';

const timeLimitMs = 5_000;

/**
 * Calls an address.
 *
 * @throws HttpError 422 if it does not answer as it should
 */
export async function challenge(choice: Choice, url: unknown): Promise<void> {
	const form = choice['webhook-challenge'];
	if (form === 'none' || typeof url !== 'string' || !URL.canParse(url)) return;
	const word = randomUUID();
	const queries = {
		get: { challenge: word },
		hub: { 'hub.mode': 'subscribe', 'hub.verify_token': 'unused', 'hub.challenge': word },
		ping: {},
		post: {},
	};
	const body = form === 'post' ? { type: 'url_verification', challenge: word } : undefined;
	const answer = await axios
		.request<string>({
			url,
			method: body ? 'POST' : 'GET',
			params: queries[form],
			data: body,
			responseType: 'text',
			proxy: false,
			timeout: timeLimitMs,
			validateStatus: () => true,
		})
		.catch(() => undefined);
	const isRight = answer?.status === 200 && (form === 'ping' || readWord(answer.data) === word);
	if (!isRight) throw invalid(choice['webhook-url'], 'did not answer the challenge');
}

/** The challenge comes back as text, or as JSON under the same name. */
function readWord(text: string): unknown {
	try {
		return (JSON.parse(text) as { challenge?: unknown }).challenge ?? text;
	} catch {
		return text.trim();
	}
}
