/** Files that messages bring along, by a public address. Assumption: the places in common use, as the specification shows none. */
import { attempt, isError } from 'lodash';
import type { IBinaryData, IN8nHttpFullResponse, IWebhookFunctions } from 'n8n-workflow';

import { isRecord } from '../api/read';
import { InputError } from '../operations/inputError';
import { unreachableReason } from '../webhooks/publicAddress';

const urlKeys = ['mediaUrl', 'media_url', 'fileUrl', 'file_url', 'attachmentUrl', 'attachment_url'];
const holderKeys = [
	...['media', 'image', 'video', 'audio', 'voice', 'document', 'sticker', 'file'],
	...['attachment', 'attachments'],
];

/** The body of a response, as n8n's helper streams it. */
type BodyStream = AsyncIterable<Buffer> & { destroy(): void };

/** The service waits for the answer meanwhile. */
const timeoutMs = 8_000;
const maxRedirects = 3;

/** Where the file of an event is; undefined if it brings none. */
export function mediaUrl(data: Record<string, unknown>): string | undefined {
	const holders = holderKeys.flatMap((key) => data[key]).filter(isRecord);
	const places = [
		...urlKeys.map((key) => data[key]),
		...holders.flatMap((one) => [one.url, one.link]),
	];
	return places.find((url): url is string => typeof url === 'string' && URL.canParse(url));
}

/** A file, or why there is none. */
export type Media = { binary: IBinaryData } | { error: string };

/**
 * Downloads a file: over HTTPS only, from public addresses only (the one in the URL, and those that its host name leads
 * to), at most `maxBytes` within eight seconds. Does not throw.
 */
export async function downloadMedia(
	context: IWebhookFunctions,
	address: string,
	maxBytes: number,
): Promise<Media> {
	const signal = AbortSignal.timeout(timeoutMs);
	try {
		const { url, response } = await request(context, new URL(address), signal);
		const content = await read(streamOf(response), maxBytes);
		const type = response.headers['content-type'];
		const mimeType = typeof type === 'string' ? type.split(';')[0] : undefined;
		return { binary: await context.helpers.prepareBinaryData(content, fileName(url), mimeType) };
	} catch (error) {
		const reason = signal.aborted ? 'it took too long' : 'its host cannot be reached';
		const words = error instanceof InputError ? error.message : reason;
		return { error: `The file was not downloaded: ${words}` };
	}
}

/** Follows redirects, each to an address that may be called. @throws InputError */
async function request(
	context: IWebhookFunctions,
	url: URL,
	abortSignal: AbortSignal,
	redirects = 0,
): Promise<{ url: URL; response: IN8nHttpFullResponse }> {
	const reason = unreachableReason(url) ?? (await reasonOfName(context, url, abortSignal));
	if (reason) throw new InputError(`its address ${reason}`);
	const response = (await context.helpers.httpRequest({
		url: url.href,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: timeoutMs,
		abortSignal,
	})) as IN8nHttpFullResponse;
	if (response.statusCode < 300) return { url, response };
	streamOf(response).destroy();
	const { location } = response.headers;
	if (typeof location !== 'string')
		throw new InputError(`its host answered with HTTP ${response.statusCode}`);
	if (redirects === maxRedirects) throw new InputError('its host redirects too often');
	return await request(context, new URL(location, url), abortSignal, redirects + 1);
}

/**
 * Why the host name's addresses are not to be called. n8n looks them up once more when it connects and checks them then
 * only if its administrator has switched that on (N8N_SSRF_PROTECTION_ENABLED). Versions of n8n without this check
 * leave it at the name.
 */
async function reasonOfName(
	{ helpers }: IWebhookFunctions,
	url: URL,
	signal: AbortSignal,
): Promise<string | undefined> {
	const check = helpers.getSecureEgressFilter?.('enforced').validateUrl(url);
	const timeout = new Promise<never>((_, reject) =>
		signal.addEventListener('abort', () => reject(new Error('Timeout')), { once: true }),
	);
	const result = await Promise.race([check, timeout]);
	return result?.ok === false ? 'leads into a private network' : undefined;
}

function streamOf({ body }: IN8nHttpFullResponse): BodyStream {
	return body as unknown as BodyStream;
}

/** @throws InputError for a file that is too large */
async function read(stream: BodyStream, maxBytes: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		size += chunk.length;
		chunks.push(chunk);
		if (size <= maxBytes) continue;
		stream.destroy();
		throw new InputError(`it is larger than ${Math.round(maxBytes / 1024)} KB`);
	}
	return Buffer.concat(chunks);
}

/** The last part of the path, without what a nested `%2F` or a control character could do to whoever saves the file. */
function fileName({ pathname }: URL): string {
	const decoded = attempt(decodeURIComponent, pathname);
	const path = isError(decoded) ? pathname : decoded;
	const name = path.split(/[\\/]/).at(-1) ?? '';
	return name.replace(/\p{Control}/gu, '').replace(/^\.+/, '') || 'file';
}
