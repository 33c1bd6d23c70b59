/** Which registered webhooks belong to the trigger, however a service writes their URLs. */
import fc from 'fast-check';

import { canonical } from '../../../nodes/BusinessMessaging/webhooks/publicAddress';
import { readOwnUrl } from '../../../nodes/BusinessMessaging/webhooks/secret';

const secret = 'Ab3_'.repeat(10) + '-xY';
const urls = [
	'https://n8n.example.com/webhook/5f0c/webhook',
	'https://n8n.example.com:8443/base/path/webhook/5f0c/webhook',
	"https://n8n.example.com/webhook/wf1/anrufe%20f%C3%BCr%20m%C3%BCller%20(neu)'s!/webhook",
	'http://127.0.0.1:5678/webhook/5f0c/webhook',
];

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Ways to write the same URL. */
type Writing = (url: string) => string;
const encode = (sign: string) => `%${sign.charCodeAt(0).toString(16)}`;
const inPath = (url: string, change: (path: string) => string): string => {
	const [, origin, path, query = ''] = /^(\w+:\/\/[^/]+)([^?]*)(.*)$/.exec(url)!;
	return origin + change(path) + query;
};
const writings: Record<string, Writing> = {
	'scheme in capitals': (url) => url.replace(/^\w+/, (scheme) => scheme.toUpperCase()),
	'host in capitals': (url) => url.replace(/\/\/[^/:]+/, (host) => host.toUpperCase()),
	'default port': (url) => url.replace('https://n8n.example.com/', 'https://n8n.example.com:443/'),
	'slash at the end': (url) => inPath(url, (path) => `${path}/`),
	'letters encoded': (url) => inPath(url, (path) => path.replace(/o/g, encode)),
	'signs encoded': (url) => inPath(url, (path) => path.replace(/[-_~.!'()*]/g, encode)),
	'hex in lower case': (url) =>
		inPath(url, (path) => path.replace(/%../g, (code) => code.toLowerCase())),
	'nothing encoded but spaces': (url) =>
		inPath(url, (path) => decodeURIComponent(path).replace(/ /g, '%20')),
	'secret encoded': (url) => url.replace(/[-_](?=[^/]*$)/g, encode),
	fragment: (url) => `${url}#`,
};

test(`is recognized, however it is written (TEST_SEED=${seed})`, () => {
	const names = fc.uniqueArray(fc.constantFrom(...Object.keys(writings)), { maxLength: 4 });
	const property = fc.property(fc.constantFrom(...urls), names, (url, chosen) => {
		const registered = `${url}?token=${secret}`;
		const written = chosen.reduce((text, name) => writings[name](text), registered);
		const [own, listed] = [canonical(url), canonical(written)];
		expect([written, listed]).toEqual([written, canonical(registered)]);
		expect(readOwnUrl(listed)).toEqual({ url: own, secret, keepsReplies: false });
	});
	fc.assert(property, { seed, numRuns: 2_000 });
});

const hidden = ['', '?', '?token=', '?token=***', '?token=Ab3_%E2%80%A6', '?token=Ab3...-xY'];

test.each([...hidden, '?token=[REDACTED]', '?token=xxxx', '?token=%2A%2A%2A'])(
	'is not recognized with a hidden secret: %s',
	(query) => {
		for (const url of urls) expect(readOwnUrl(canonical(`${url}${query}`))).toBeUndefined();
	},
);

test('shows whether the trigger keeps the replies', () => {
	const [url] = urls;
	const read = (name: string) => readOwnUrl(canonical(`${url}?${name}=${secret}`));
	expect(read('inbox')).toEqual({ url, secret, keepsReplies: true });
	expect(read('outbox')).toBeUndefined();
});

test.each<[string, Writing]>([
	['a longer path', (url) => inPath(url, (path) => `${path}/more`)],
	['a longer last part', (url) => inPath(url, (path) => `${path}-test`)],
	['an encoded slash', (url) => url.replace('/webhook?', '%2Fwebhook?')],
	['a slash in the middle', (url) => url.replace('/webhook?', '//webhook?')],
	['other capitals in the path', (url) => inPath(url, (path) => path.toUpperCase())],
	['another scheme', (url) => url.replace(/^https?/, (one) => (one === 'http' ? 'https' : 'http'))],
	['another host', (url) => url.replace(/\/\/([^/:]+)/, '//$1.evil.test')],
	['another port', (url) => url.replace(/\/\/([^/:]+)(:\d+)?/, '//$1:9999')],
	['a user before the host', (url) => url.replace('//', '//user@')],
	['a secret of another form', (url) => url.replace(secret, 'my-own-secret')],
	['a longer secret', (url) => `${url}A`],
	['another field', (url) => `${url}&to=sales`],
	['two secrets', (url) => `${url}&token=${secret}`],
])('belongs to somebody else with %s', (_, write) => {
	for (const url of urls) {
		const written = write(`${url}?token=${secret}`);
		expect([written, readOwnUrl(canonical(written))?.url]).not.toEqual([written, canonical(url)]);
	}
});

test.each([
	['several slashes at the end', 'https://n8n.example.com/a//', 'https://n8n.example.com/a'],
	['a wrong encoding', 'https://n8n.example.com/%zz/a', 'https://n8n.example.com/%25zz/a'],
	['a text that is no URL', 'n8n.example.com/a', 'n8n.example.com/a'],
])('is compared in one form: %s', (_, written, expected) => {
	expect(canonical(written)).toBe(expected);
	expect(canonical(expected)).toBe(expected);
});

test('a text that is no URL belongs to somebody else', () => {
	expect(readOwnUrl('n8n.example.com/a')).toBeUndefined();
});
