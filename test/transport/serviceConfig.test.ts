/** What is read from a credential, and what is refused with which words. */
import {
	type CredentialValues,
	type ServiceConfig,
	readServiceConfig,
} from '../../nodes/BusinessMessaging/transport/serviceConfig';
import { ServiceError } from '../../nodes/BusinessMessaging/transport/errors';

const good = { apiKey: 'not-a-real-key', baseUrl: 'https://api.example.com' };

/** The error that a credential gives. */
function refusalOf(values: CredentialValues): ServiceError {
	try {
		readServiceConfig({ ...good, ...values });
	} catch (error) {
		if (error instanceof ServiceError) return error;
	}
	throw new Error('It was taken');
}

test.each([
	['https://api.example.com', undefined, 'https://api.example.com', '/v1'],
	[' https://api.example.com/// ', 'automatic', 'https://api.example.com', '/v1'],
	['https://api.example.com/v1', 'automatic', 'https://api.example.com', '/v1'],
	['https://api.example.com/v10', 'automatic', 'https://api.example.com/v10', '/v1'],
	['https://api.example.com/v1/x', 'automatic', 'https://api.example.com/v1/x', '/v1'],
	['https://example.com/api', 'automatic', 'https://example.com', '/api/v1'],
	['https://example.com/api/v1', 'automatic', 'https://example.com', '/api/v1'],
	['https://example.com/tenant/api/', 'automatic', 'https://example.com/tenant', '/api/v1'],
	['https://example.com/api/tenant', 'automatic', 'https://example.com/api/tenant', '/v1'],
	['https://example.com/api', '/v1', 'https://example.com/api', '/v1'],
	['https://example.com', '/api/v1', 'https://example.com', '/api/v1'],
	['https://example.com/tenant', '/api/v1', 'https://example.com/tenant', '/api/v1'],
	['http://localhost:4010', 'automatic', 'http://localhost:4010', '/v1'],
])('%s with the API path %s is %s as %s', (baseUrl, apiPath, root, read) => {
	expect(readServiceConfig({ ...good, baseUrl, apiPath })).toMatchObject({ root, apiPath: read });
});

test.each([
	[
		'is not a web address',
		'Enter the address of the service',
		[
			'',
			'api.example.com',
			'ftp://example.com',
			'httpsx://example.com',
			'xhttps://example.com',
			undefined,
			7,
		],
	],
	[
		'does not start with https://',
		'Change http:// to https://',
		['http://api.example.com', 'http://localhost.example.com', 'http://127.0.0.1.example.com'],
	],
	[
		'holds more than an address',
		'Remove user name, password',
		[
			'https://a@example.com',
			'https://:b@example.com',
			'https://example.com?a',
			'https://example.com#a',
		],
	],
])('a Base URL %s', (words, advice, addresses) => {
	for (const baseUrl of addresses) {
		const { message, description, kind, sendStatus } = refusalOf({ baseUrl });
		expect([message, kind, sendStatus]).toEqual([
			`'Base URL' of the credential ${words}`,
			'configuration',
			'notSent',
		]);
		expect(description).toContain(advice);
	}
});

test.each(['a b', 'a\n', '\na', 'ä', 'a\u0000'])('a key such as %j is refused', (apiKey) => {
	const { message, description, kind } = refusalOf({ apiKey });
	expect([message, kind]).toEqual([
		expect.stringContaining("'API Key' of the credential holds a space"),
		'configuration',
	]);
	expect(description).toContain('Copy the key');
});

test('a key is taken out of texts, unless it is too short to be one', () => {
	const redacted = (apiKey: unknown, text: string) =>
		readServiceConfig({ ...good, apiKey }).redact(text);
	expect(redacted('12345678', 'a 12345678 b 12345678')).toBe('a [API key] b [API key]');
	expect(redacted('1234567', 'a 1234567')).toBe('a 1234567');
	expect(redacted(undefined, 'undefined')).toBe('undefined');
});

test('address and key together are one service, host and key one rate; neither tells anything of the key', () => {
	const read = (values: CredentialValues = {}) => readServiceConfig({ ...good, ...values });
	const sameService = [{}, { baseUrl: 'https://api.example.com/v1/' }, { requestsPerMinute: 7 }];
	const sameRate = [...sameService, { baseUrl: 'HTTPS://API.example.com:443/api', apiPath: '/v1' }];
	const others = [{ apiKey: 'another-key' }, { baseUrl: 'https://example.com' }];
	expect(new Set(sameService.map((values) => read(values).id)).size).toBe(1);
	expect(new Set(sameRate.map((values) => read(values).rate.id)).size).toBe(1);
	expect(new Set(sameRate.map((values) => read(values).id)).size).toBe(2);
	for (const idOf of [({ id }: ServiceConfig) => id, ({ rate }: ServiceConfig) => rate.id])
		expect(new Set([{}, ...others].map((values) => idOf(read(values)))).size).toBe(3);
	expect(JSON.stringify(read())).not.toContain('not-a-real-key');
});

test.each<[unknown, number]>([
	[undefined, 1_000],
	['', 1_000],
	['250', 250],
	[1, 1],
	[99.9, 99],
])('a rate of %j is %i a minute', (requestsPerMinute, requests) => {
	expect(readServiceConfig({ ...good, requestsPerMinute }).rate).toMatchObject({
		requests,
		windowMs: 60_000,
	});
});

test.each([0, 0.99, -1, 'many', Infinity, null])('a rate of %j is refused', (requestsPerMinute) => {
	const { message, description, kind } = refusalOf({ requestsPerMinute });
	expect([message, kind]).toEqual([
		"'Requests per Minute' of the credential is not a number above 0",
		'configuration',
	]);
	expect(description).toContain('1,000');
});

describe('Allowed Domains', () => {
	const restricted = (allowedDomains: unknown, baseUrl = good.baseUrl) => ({
		allowedHttpRequestDomains: 'domains',
		allowedDomains,
		baseUrl,
	});

	test.each(['api.example.com', ' other.example , API.Example.com. ', '*.example.com'])(
		'%j lets api.example.com pass',
		(domains) => {
			expect(readServiceConfig({ ...good, ...restricted(domains) }).root).toBe(good.baseUrl);
		},
	);

	test.each([
		'',
		undefined,
		7,
		'example.com',
		'*.pi.example.com',
		'xapi.example.com',
		'*example.com',
	])('%j does not', (domains) => {
		const { message, description } = refusalOf(restricted(domains));
		expect(message).toBe('The credential may not be used for api.example.com');
		expect(description).toContain("Add this host to 'Allowed Domains'");
	});

	test('a dot at the end and upper case mean the same host', () => {
		expect(
			readServiceConfig({ ...good, ...restricted('api.example.com', 'https://API.EXAMPLE.COM.') })
				.root,
		).toBe('https://api.example.com.');
	});

	test.each(['all', 'none', undefined])(
		'nothing is held against them with %j',
		(allowedHttpRequestDomains) => {
			expect(
				readServiceConfig({ ...good, allowedHttpRequestDomains, allowedDomains: 'other.example' })
					.root,
			).toBe(good.baseUrl);
		},
	);
});
