/** Hiding secrets in what the service sends, in whatever field and form they are. */
import fc from 'fast-check';
import { escape } from 'lodash';

import {
	keyRemover,
	standardWebhooksKey,
	withoutSecrets,
} from '../../../nodes/BusinessMessaging/transport/secrets';

const url = 'https://example.com/hook';

test.each<[value: unknown, shown: unknown]>([
	[`${url}?token=a&b=2`, `${url}?token=…&b=2`],
	[`See ${url}?wait=a#x "sig=b" and x=1`, `See ${url}?wait=…#x "sig=…" and x=1`],
	[
		`https://proxy.test/?to=https%3A%2F%2Fa%3Fapi_key%3Da`,
		'https://proxy.test/?to=https%3A%2F%2Fa%3Fapi_key%3D…',
	],
	[
		[`?token=a`, 7, null, [`?secret=b`]],
		['?token=…', 7, null, ['?secret=…']],
	],
	[
		{ url: `${url}?signature=a`, n: 1, yes: true, none: null },
		{ url: `${url}?signature=…`, n: 1, yes: true, none: null },
	],
	[
		{ secret: 'a', name: 'secret' },
		{ secret: '…', name: 'secret' },
	],
	[{ secret: '' }, { secret: '' }],
	[{ secrets: [{ value: 'a' }, 'b', 7] }, { secrets: [{ value: '…' }, '…', 7] }],
	[
		{ access_token: 'a', tokens: 'b' },
		{ access_token: '…', tokens: 'b' },
	],
	[{ [`${url}?token=a`]: 'b' }, { [`${url}?token=…`]: 'b' }],
	[7, 7],
	[undefined, undefined],
])('%j is shown as %j', (value, shown) => {
	expect(withoutSecrets(value)).toEqual(shown);
});

test('the name of the field counts', () => {
	expect([withoutSecrets('a', 'secret'), withoutSecrets('a', 'name')]).toEqual(['…', 'a']);
});

const key = Buffer.from('a key of 16 byte');
const base64 = key.toString('base64');

test.each<[secret: string, key: Buffer | undefined]>([
	[`whsec_${base64}`, key],
	[` ${base64}\n`, key],
	[base64.replace(/=+$/, ''), key],
	[`whsec_whsec_${base64}`, undefined],
	[`${base64}!`, undefined],
	['whsec_', undefined],
	['', undefined],
])('the key in the secret %j', (secret, expected) => {
	expect(standardWebhooksKey(secret)).toEqual(expected);
});

describe('the API key', () => {
	const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
	/** How texts that quote something write a character. */
	const encodings: Array<(character: string) => string> = [
		(character) => character,
		(character) => character.toLowerCase(),
		encodeURIComponent,
		(character) => encodeURIComponent(encodeURIComponent(character)),
		(character) => `%${hex(character)}`,
		(character) => JSON.stringify(character).slice(1, -1),
		(character) => JSON.stringify(JSON.stringify(character)).slice(3, -3),
		(character) => character.replace('/', '\\/'),
		(character) => `\\u00${hex(character)}`,
		(character) => `\\\\u00${hex(character).toUpperCase()}`,
		escape,
		(character) => `&#${character.charCodeAt(0)};`,
		(character) => `&#x${hex(character).toUpperCase()};`,
	];
	const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
	const written = fc.array(fc.tuple(printable, fc.constantFrom(...encodings)), {
		minLength: 8,
		maxLength: 40,
	});

	test('is removed from a text, however each of its characters is encoded', () => {
		const property = fc.property(written, (characters) => {
			const apiKey = characters.map(([character]) => character).join('');
			const quoted = characters.map(([character, encode]) => encode(character)).join('');
			expect(keyRemover(apiKey)(`bad ${quoted}, ${apiKey} too`)).toBe(
				'bad [API key], [API key] too',
			);
		});
		fc.assert(property, { numRuns: 500 });
	});

	test.each(['\\', '%25', '&#x0', 'k'])('takes no longer in a text of many %s', (part) => {
		const remove = keyRemover('k/\\%&kkkkkkkk');
		const text = part.repeat(300_000);
		const begin = performance.now();
		expect(remove(text)).toBe(text);
		expect(performance.now() - begin).toBeLessThan(5_000); // minutes if it were quadratic
	});
});
