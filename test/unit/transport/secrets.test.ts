/** Hiding secrets in what the service sends, in whatever field and form they are. */
import {
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
