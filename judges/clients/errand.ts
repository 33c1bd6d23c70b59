/** What every generated client has to do, and the check that it did. */
import { strict as assert } from 'node:assert';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An error answer of the service. */
export interface Refusal {
	status?: number;
	code?: string;
	field?: string;
}

/** A client for one address and key; its methods give what the generated types promise. */
export interface Errands {
	/** @returns the message's id */
	send: (to: string, text: string) => Promise<string | number | undefined>;
	/** Sends without a text, to a number that is none: the types refuse it, and so does the service. */
	sendWrongly: () => Promise<Refusal>;
	/** @returns the phone numbers of the first contacts */
	listPhones: (limit: number) => Promise<Array<string | null | undefined>>;
	/** @returns the webhook's id */
	registerWebhook: (url: string) => Promise<string | number | undefined>;
	deleteWebhook: (id: string | number) => Promise<void>;
	/** @returns the sender and the text of a delivery of `message.received`, by its generated type */
	readDelivery: (body: string) => { from: string; text?: string };
}

const limitMs = 10_000;

/**
 * Runs all errands against the sandbox whose address and key are on the command line.
 *
 * @param makeClient makes the client
 * @throws AssertionError if the client gives something else than the sandbox has
 */
export async function runErrands(
	makeClient: (baseUrl: string, apiKey: string) => Errands,
): Promise<void> {
	const [url = '', apiKey = ''] = process.argv.slice(2);
	const client = makeClient(url, apiKey);
	const { server, address, delivery } = await openReceiver();
	try {
		const text = 'Your order is ready';
		const id = await client.send('+15550001001', text);
		const known = (await (await fetch(`${url}/_sandbox/messages?direction=outbound`)).json()) as {
			data: Array<{ id: string; text: string }>;
		};
		assert.equal(known.data.find((message) => message.id === id)?.text, text);
		assert.deepEqual(await client.sendWrongly(), { status: 422, code: 'invalid', field: 'to' });
		const phones = await client.listPhones(3);
		assert.equal(phones.length, 3);
		for (const phone of phones) assert.match(phone ?? '', /^\+\d+$/);
		const webhook = await client.registerWebhook(address);
		assert.ok(webhook !== undefined);
		await post(`${url}/_sandbox/inbound`, { from: '+15550001001', text: 'Thanks' });
		const { from, text: answer } = client.readDelivery(await delivery);
		assert.deepEqual([from, answer], ['+15550001001', 'Thanks']);
		await client.deleteWebhook(webhook);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

async function post(url: string, body: object): Promise<void> {
	const answer = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	assert.ok(answer.ok, `${url} answers ${answer.status}`);
}

/** A receiver on a free port, with the body of the first delivery. */
async function openReceiver(): Promise<{
	server: Server;
	address: string;
	delivery: Promise<string>;
}> {
	const server = createServer();
	const delivery = new Promise<string>((resolve, reject) => {
		setTimeout(
			() => reject(new Error(`Nothing was delivered within ${limitMs} ms`)),
			limitMs,
		).unref();
		server.on('request', (request, response) => {
			const pieces: Buffer[] = [];
			request.on('data', (piece: Buffer) => pieces.push(piece));
			request.on('end', () => {
				response.end();
				resolve(Buffer.concat(pieces).toString());
			});
		});
	});
	delivery.catch(() => undefined);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		server,
		address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		delivery,
	};
}
