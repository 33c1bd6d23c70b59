/**
 * The tests as a contract test. `npm run judges` runs them with a validating proxy between each sandbox and its callers:
 * the proxy compares every request and every answer with docs/openapi.json and names what differs in a header of the
 * answer. A difference fails the test that made the call. Without that proxy nothing here does anything.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

import axios from 'axios';

/** Address of the program that makes the proxies (judges/prism.ts); unset in all other runs. */
const judge = process.env.CONTRACT_JUDGE;

/** What the proxy says about a request or an answer. */
interface Violation {
	/** Begins with `request` or `response`. */
	location: string[];
	message: string;
}

/** How strictly a proxy is read. */
export interface Judging {
	/** The callers make wrong requests on purpose: one that the service refuses (4xx) is as it should be. */
	refusalsAllowed?: boolean;
}

/** Words of the proxy for a call that the document does not have: the nodes try it if a user asks, and may be refused. */
const unlisted = 'Selected route not found';

const judgings = new Map<string, Judging>();
const violations: string[] = [];
const tally = { answers: 0, refusals: 0, faults: 0 };

/**
 * The address at which a sandbox is called: that of a proxy of its own if the tests are judged, else its own.
 *
 * @param url address of the sandbox
 */
export async function judgedAddress(url: string, judging: Judging = {}): Promise<string> {
	if (!judge) return url;
	const { data } = await axios.post<{ url: string }>(`${judge}/proxies`, { upstream: url });
	judgings.set(new URL(data.url).host, judging);
	return data.url;
}

/** The header is JSON; where it became too long, it is cut off. */
function violationsOf(header: string | string[] | undefined): Violation[] {
	const text = String(header ?? '[]');
	return text.startsWith('[')
		? (JSON.parse(text) as Violation[])
		: [{ location: ['request'], message: text }];
}

function answered({
	request,
	response,
}: {
	request: ClientRequest;
	response: IncomingMessage;
}): void {
	const judging = judgings.get(String(request.getHeader('host')));
	if (!judging) return;
	const { statusCode = 0, headers } = response;
	const isFault = headers['x-sandbox-fault'] !== undefined;
	const isRefusal = judging.refusalsAllowed === true && statusCode >= 400 && statusCode < 500;
	const found = violationsOf(headers['sl-violations']);
	const isAllowed = ({ location: [part], message }: Violation) =>
		part === 'response'
			? isFault
			: isRefusal || (message === unlisted && [404, 405].includes(statusCode));
	const wrong = found.filter((violation) => !isAllowed(violation));
	tally.answers += 1;
	if (isFault) tally.faults += 1;
	else if (found.length > wrong.length) tally.refusals += 1;
	for (const { location, message } of wrong) {
		violations.push(
			`${request.method} ${request.path} ${statusCode}: ${location.join('.')} ${message}`,
		);
	}
}

if (judge) {
	const onFinish = (message: unknown) =>
		answered(message as { request: ClientRequest; response: IncomingMessage });
	subscribe('http.client.response.finish', onFinish);
	afterEach(() => expect(violations.splice(0)).toEqual([]));
	afterAll(async () => {
		// The channel is the process's, which goes on to the next test file.
		unsubscribe('http.client.response.finish', onFinish);
		await axios.post(`${judge}/tally`, tally);
	});
}
