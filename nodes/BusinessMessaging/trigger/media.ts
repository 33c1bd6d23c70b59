/** Files that messages bring along, by a public address. Assumption: the places in common use, as the specification shows none. */
import type { IBinaryData, IN8nHttpFullResponse, IWebhookFunctions } from 'n8n-workflow';

import { isRecord } from '../api/read';
import { unreachableReason } from '../webhooks/publicAddress';

const urlKeys = ['mediaUrl', 'media_url', 'fileUrl', 'file_url', 'attachmentUrl', 'attachment_url'];
const holderKeys = [
	'media',
	'image',
	'video',
	'audio',
	'voice',
	'document',
	'sticker',
	'file',
	'attachment',
];

/** The body of an answer, as n8n's helper streams it. */
type BodyStream = AsyncIterable<Buffer> & { destroy(): void };

/** The service waits for the answer meanwhile. */
const timeLimitMs = 8_000;
const maxRedirects = 3;

/** Where the file of an event is; undefined if it brings none. */
export function mediaUrl(data: Record<string, unknown>): string | undefined {
	const holders = holderKeys.map((key) => data[key]).filter(isRecord);
	const listed = [data.attachments, data.media]
		.filter(Array.isArray)
		.map((list) => (list as unknown[])[0])
		.filter(isRecord);
	const candidates = [
		...urlKeys.map((key) => data[key]),
		...[...holders, ...listed].flatMap((holder) => [holder.url, holder.link]),
	];
	return candidates.find(
		(value): value is string => typeof value === 'string' && URL.canParse(value),
	);
}

/** A file, or why there is none. */
export type Media = { binary: IBinaryData } | { error: string };

/**
 * Downloads a file: over HTTPS only, from public addresses only (the one in the URL, and those that its host name leads
 * to), at most `largest` bytes within eight seconds.
 */
export async function downloadMedia(
	context: IWebhookFunctions,
	address: string,
	largest: number,
): Promise<Media> {
	const signal = AbortSignal.timeout(timeLimitMs);
	try {
		let url = new URL(address);
		for (let redirects = 0; redirects <= maxRedirects; redirects++) {
			const reason =
				unreachableReason(url) ?? (await untilAborted(signal, reasonOfName(context, url)));
			if (reason) return { error: `The file was not downloaded: its address ${reason}` };
			const response = await request(context, url, signal);
			const location = response.headers.location;
			if (response.statusCode < 300) return await read(context, response, url, largest);
			streamOf(response).destroy();
			if (typeof location !== 'string')
				return {
					error: `The file was not downloaded: its host answered with HTTP ${response.statusCode}`,
				};
			url = new URL(location, url);
		}
		return { error: 'The file was not downloaded: its host redirects too often' };
	} catch {
		return {
			error: signal.aborted
				? 'The file was not downloaded: it took too long'
				: 'The file was not downloaded: its host cannot be reached',
		};
	}
}

/**
 * Why the host name's addresses are not to be called. n8n looks them up once more when it connects and checks them then
 * only if its administrator has switched that on (N8N_SSRF_PROTECTION_ENABLED). Versions of n8n without this check
 * leave it at the name.
 */
async function reasonOfName({ helpers }: IWebhookFunctions, url: URL): Promise<string | undefined> {
	const verdict = await helpers.getSecureEgressFilter?.('enforced').validateUrl(url);
	return verdict?.ok === false ? 'leads into a private network' : undefined;
}

async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
	return await new Promise((resolve, reject) => {
		signal.addEventListener('abort', () => reject(new Error('Time limit')), { once: true });
		work.then(resolve, reject);
	});
}

async function request(
	context: IWebhookFunctions,
	url: URL,
	abortSignal: AbortSignal,
): Promise<IN8nHttpFullResponse> {
	return (await context.helpers.httpRequest({
		url: url.href,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: timeLimitMs,
		abortSignal,
	})) as IN8nHttpFullResponse;
}

function streamOf({ body }: IN8nHttpFullResponse): BodyStream {
	return body as unknown as BodyStream;
}

async function read(
	context: IWebhookFunctions,
	response: IN8nHttpFullResponse,
	url: URL,
	largest: number,
): Promise<Media> {
	const stream = streamOf(response);
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		size += chunk.length;
		if (size > largest) {
			stream.destroy();
			return {
				error: `The file was not downloaded: it is larger than ${Math.round(largest / 1024)} KB`,
			};
		}
		chunks.push(chunk);
	}
	const type = response.headers['content-type'];
	const mimeType = typeof type === 'string' ? type.split(';')[0] : undefined;
	return {
		binary: await context.helpers.prepareBinaryData(Buffer.concat(chunks), fileName(url), mimeType),
	};
}

/** The last part of the path, without what a nested `%2F` or a control character could do to whoever saves the file. */
function fileName({ pathname }: URL): string {
	const name = decoded(pathname).split(/[\\/]/).at(-1) ?? '';
	return name.replace(/\p{Control}/gu, '').replace(/^\.+/, '') || 'file';
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
