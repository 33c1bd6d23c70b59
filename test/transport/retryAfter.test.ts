/** How long the service asks to wait, in all the ways in which services of this kind say so: from its words about a wait that is too long. */
import { useService } from '../support/service';

const service = useService();
const hourMs = 3_600_000;
const inTwoHours = () => Date.now() + 2 * hourMs;
let made = 0;

test.each<[string, () => Record<string, string>, number]>([
	['seconds', () => ({ 'retry-after': '3600' }), 60],
	['a date', () => ({ 'retry-after': new Date(inTwoHours()).toUTCString() }), 120],
	[
		'a date by a clock that is wrong',
		() => ({
			date: 'Tue, 01 Jan 2030 10:00:00 GMT',
			'retry-after': 'Tue, 01 Jan 2030 11:00:00 GMT',
		}),
		60,
	],
	['milliseconds', () => ({ 'retry-after-ms': '1800000' }), 30],
	[
		'milliseconds rather than seconds',
		() => ({ 'retry-after-ms': '1800000', 'retry-after': '7200' }),
		30,
	],
	[
		'no readable milliseconds, but seconds',
		() => ({ 'retry-after-ms': 'soon', 'retry-after': '7200' }),
		120,
	],
	['a Unix time', () => ({ 'x-ratelimit-reset': String(Math.round(inTwoHours() / 1000)) }), 120],
	['a Unix time in ms', () => ({ 'x-rate-limit-reset': String(inTwoHours()) }), 120],
	['seconds until the reset', () => ({ 'ratelimit-reset': ' 1800 ' }), 30],
	['seconds after', () => ({ 'x-ratelimit-reset-after': '1800' }), 30],
])('%s', async (_, headers, minutes) => {
	const apiKey = `key for wait ${++made}`.replaceAll(' ', '-'); // a key of its own has a pace of its own
	service.sandbox.state.keys.create('Other', apiKey);
	await service.fault({ endpoint: 'getCurrentAccount', status: 429, headers: headers() });
	const { error } = await service.run({
		parameters: { resource: 'account', operation: 'getCurrent' },
		credentials: service.credentials({ apiKey }),
	});
	expect(error).toMatchObject({
		message: `The service limits the rate and asks to wait another ${minutes} minutes [item 0]`,
		description: expect.stringContaining('Run it again then.'),
		context: { sendStatus: 'notSent' },
	});
	expect(service.calls('getCurrentAccount')).toBe(1);
});
