/** How an error shows a redirect, and which Base URL it suggests. */
import {
	describeRedirect,
	isSameOrigin,
	readRedirect,
} from '../../../nodes/BusinessMessaging/transport/redirect';

const root = 'https://a.test';
const redact = (text: string) => text.replaceAll('key 1', '…');
const described = (location: string, url = `${root}/v1/contacts`, base = root) =>
	describeRedirect(new URL(location), url, { root: base, redact });

test.each<[location: string, expected: object]>([
	[
		'https://b.test/v1/contacts',
		{ address: 'https://b.test/v1/contacts', baseUrl: 'https://b.test' },
	],
	[
		'https://b.test/x/v1/contacts?t=s#h',
		{ address: 'https://b.test/x/v1/contacts', baseUrl: 'https://b.test/x' },
	],
	['https://a.test/login', { address: 'https://a.test/login' }],
	['https://a.test/v1/contacts', { address: 'https://a.test/v1/contacts' }],
	['https://a.test/api/v1/contacts', { address: 'https://a.test/api/v1/contacts' }],
	['https://b.test/key%201', { address: 'https://b.test' }],
	['https://b.test/key%201/%E0%A4%A', { address: 'https://b.test/key%201/%E0%A4%A' }],
	['https://b.test/key%25201', { address: 'https://b.test/key%25201' }],
])('a redirect to %s is shown as %j', (location, expected) => {
	expect(described(location)).toEqual(expected);
});

test.each([
	[200, true],
	[201, false],
])('an address of %d characters is shown: %j', (length, isShown) => {
	const location = 'https://b.test/'.padEnd(length, 'a');
	expect(described(location).address).toBe(isShown ? location : 'https://b.test');
});

test('the path /api at the beginning is no part of the path that both addresses share', () => {
	const baseUrl = 'https://b.test';
	expect(described(`${baseUrl}/v1/x`, `${root}/api/v1/x`)).toMatchObject({ baseUrl });
	expect(described(`${baseUrl}/x/api/y`, `${root}/x/api/y`)).toMatchObject({ baseUrl });
	expect(described(`${root}/api-v2/v1/x`, `${root}/v1/x`)).toMatchObject({
		baseUrl: `${root}/api-v2`,
	});
});

test.each<[statusCode: number, location: unknown, expected: string | undefined]>([
	...[301, 302, 303, 307, 308].map((status): [number, string, string] => [
		status,
		'../b?c=1',
		'https://a.test/b?c=1',
	]),
	[307, 'https://b.test/', 'https://b.test/'],
	[307, undefined, undefined],
	[307, ['https://b.test/'], undefined],
	[307, 'https://', undefined],
	[200, 'https://b.test/', undefined],
	[304, 'https://b.test/', undefined],
	[201, '/v1/messages/1', undefined],
])('a response %d with the location %j redirects to %j', (statusCode, location, expected) => {
	const response = { statusCode, headers: { location }, body: '' };
	expect(readRedirect(response as never, `${root}/v1/contacts`)?.href).toBe(expected);
});

test.each([
	['https://a.test/x', true],
	['http://a.test/x', false],
	['https://a.test:444/x', false],
	['https://b.test/x', false],
])('%s has the origin of https://a.test/v1: %j', (location, expected) => {
	expect(isSameOrigin(new URL(location), `${root}/v1`)).toBe(expected);
});
