/** What is read from a credential, and the errors for invalid values. */
import {
	type CredentialValues,
	readServiceConfig,
} from '../../../nodes/BusinessMessaging/transport/serviceConfig';
import { ServiceError } from '../../../nodes/BusinessMessaging/transport/errors';

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
	[' https://api.example.com/// ', 'automatic', 'https://api.example.com', '/v1'],
	['https://api.example.com/v1', 'automatic', 'https://api.example.com', '/v1'],
	['https://api.example.com/v10', 'automatic', 'https://api.example.com/v10', '/v1'],
	['https://example.com/api/v1', 'automatic', 'https://example.com', '/api/v1'],
	['https://example.com/tenant/api/', 'automatic', 'https://example.com/tenant', '/api/v1'],
	['https://example.com/api', '/v1', 'https://example.com/api', '/v1'],
	['HTTP://LOCALHOST:4010', '/api/v1', 'http://localhost:4010', '/api/v1'],
	['http://127.10.200.1:4010', 'automatic', 'http://127.10.200.1:4010', '/v1'],
	['http://2130706433:4010/api', 'automatic', 'http://127.0.0.1:4010', '/api/v1'],
	['http://[::1]', 'automatic', 'http://[::1]', '/v1'],
])(
	'%s with the API path %s gives the address %s and the API path %s',
	(baseUrl, apiPath, root, read) => {
		expect(readServiceConfig({ ...good, baseUrl, apiPath })).toMatchObject({ root, apiPath: read });
	},
);

const noAddress = ["'Base URL' of the credential is not a web address", 'Enter the address'];
const noHttps = ["'Base URL' of the credential does not start with https://", 'Change http://'];
const more = [
	"'Base URL' of the credential contains something else besides the address",
	'Remove the user name',
];
const badKey = ["'API Key' of the credential contains a space", 'Copy the key'];
const noRate = ["'Requests per Minute' of the credential must be a number, 1 or more", '1,000'];

test.each<[string[], string, unknown[]]>([
	[noAddress, 'baseUrl', ['', undefined, 7, 'api.example.com', 'ftp://a.test', 'httpsx://a.test']],
	[
		noHttps,
		'baseUrl',
		['http://a.test', 'http://127.0.0.1.a.test', 'http://xlocalhost', 'http://[::ffff:127.0.0.1]'],
	],
	[
		more,
		'baseUrl',
		['https://a@b.test', 'https://:1@b.test', 'https://a.test?b', 'https://a.test#b'],
	],
	[badKey, 'apiKey', ['a b', 'a\nb', 'ä', 'a\u0000']],
	[noRate, 'requestsPerMinute', [0, 0.99, -1, 'many', Infinity, null]],
])('%j is the error if %s is one of %j', ([words, advice], name, values) => {
	for (const value of values) {
		const { message, description, sendStatus } = refusalOf({ [name]: value });
		expect([value, message]).toEqual([value, expect.stringContaining(words)]);
		expect(description).toContain(advice);
		expect(sendStatus).toBe('notSent');
	}
});

test('a key is taken out of texts, unless it is too short to be one', () => {
	const redacted = (apiKey: unknown, text: string) =>
		readServiceConfig({ ...good, apiKey }).redact(text);
	expect(redacted('12345678', 'a 12345678 b 12345678')).toBe('a [API key] b [API key]');
	expect(redacted('1234567', 'a 1234567')).toBe('a 1234567');
	expect(redacted(undefined, 'undefined')).toBe('undefined');
});

test('base URL and key identify a service, host and key identify a rate, and neither reveals the key', () => {
	const read = (values: CredentialValues = {}) => readServiceConfig({ ...good, ...values });
	const sameService = [{}, { baseUrl: 'https://api.example.com/v1/' }, { requestsPerMinute: 7 }];
	const sameRate = [...sameService, { baseUrl: 'HTTPS://API.example.com:443/api', apiPath: '/v1' }];
	const others = [{}, { apiKey: 'another-key' }, { baseUrl: 'https://example.com' }];
	expect(new Set(sameService.map((values) => read(values).id)).size).toBe(1);
	expect(new Set(sameRate.map((values) => read(values).rate.id)).size).toBe(1);
	expect(new Set(sameRate.map((values) => read(values).id)).size).toBe(2);
	expect(new Set(others.map((values) => read(values).id)).size).toBe(3);
	expect(new Set(others.map((values) => read(values).rate.id)).size).toBe(3);
	expect(JSON.stringify(read())).not.toContain('not-a-real-key');
});

test.each<[unknown, number]>([
	[undefined, 1_000],
	['', 1_000],
	[1, 1],
	[99.9, 99],
])('a rate of %j is %i a minute', (requestsPerMinute, requests) => {
	const { rate } = readServiceConfig({ ...good, requestsPerMinute });
	expect(rate).toMatchObject({ requests, windowMs: 60_000 });
});

describe("n8n's Allowed Domains of the credential", () => {
	const restricted = (allowedDomains: unknown, allowedHttpRequestDomains: unknown = 'domains') => ({
		allowedHttpRequestDomains,
		allowedDomains,
	});

	test.each<[CredentialValues]>([
		[restricted(' other.example , API.Example.com. ')],
		[restricted('*.example.com')],
		[restricted('other.example', 'none')], // this value is only about the HTTP Request node
	])('%j allows the address, however it is written', (values) => {
		expect(readServiceConfig({ ...good, ...values }).root).toBe(good.baseUrl);
		const baseUrl = 'https://API.EXAMPLE.COM.';
		expect(readServiceConfig({ ...values, baseUrl }).root).toBe('https://api.example.com.');
	});

	const others = ['example.com', '*.pi.example.com', 'xapi.example.com', '*', '*example.com'];
	test.each(['', undefined, 7, ...others])('%j does not allow the address', (domains) => {
		const { message, description } = refusalOf(restricted(domains));
		expect(message).toBe('The credential is not allowed for api.example.com');
		expect(description).toContain("Add this host to 'Allowed Domains'");
	});
});
