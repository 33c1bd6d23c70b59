/** The send window closes while messages are sent. */
import type { INodeParameters } from 'n8n-workflow';

import { locator, sendText, useService } from '../../../harness/engine/service';

const service = useService();
const [anna, berta, carl, dora] = [1, 2, 3, 4].map((n) => `+1555000100${n}`);
const people = [anna, berta, carl, dora].map((phone) => ({ phone }));
const late = people.slice(1).map(() => 'outsideSendWindow');
const fallback: INodeParameters = {
	useFallbackTemplate: true,
	fallbackTemplate: locator('login_code', 'name'),
	fallbackLanguage: locator('en_US', 'code'),
	fallbackVariables: { mappingMode: 'defineBelow', value: { body_1: '123' } },
};
const sentTo = () => service.sent().map(({ phone }) => phone);
const haveAllTried = () => service.sent().length >= 2 && service.calls('sendText') >= people.length;
const reasons = ({ outputs }: Awaited<ReturnType<typeof runUntilClosed>>) =>
	outputs[0].map(({ json }) => json.reason);

/** Runs the node with a send window that closes as soon as `isOver` is true. */
async function runUntilClosed(
	isOver: () => boolean,
	options: INodeParameters,
	parameters: INodeParameters = {},
) {
	const { now } = Date;
	const later = () => now() + (isOver() ? 3 * 3_600_000 : 0);
	const clock = jest.spyOn(Date, 'now').mockImplementation(later);
	const hour = new Date().getUTCHours();
	const hours = `${hour}:00–${(hour + 2) % 24}:00`;
	const sendWindow = { values: { days: 'everyDay', hours, timeZone: 'UTC' } };
	const result = await service.run({
		items: people,
		parameters: {
			...{ ...sendText, to: '={{ $json.phone }}', text: '=Hello {{ $json.phone }}' },
			...{ audienceRules: { sendWindow }, ...parameters, options },
		},
	});
	clock.mockRestore();
	return result;
}

test('nobody gets a message after the window has closed', async () => {
	const result = await runUntilClosed(() => service.sent().length > 0, { concurrency: 1 });
	expect(reasons(result)).toEqual([null, ...late]);
	expect(sentTo()).toEqual([anna]);
});

test.each(['sendText', 'sendTemplate'] as const)(
	'if it closes while %s is refused for a while, neither this person nor the next ones get anything',
	async (endpoint) => {
		if (endpoint === 'sendTemplate')
			service.fault({ endpoint: 'sendText', match: berta, status: 422 });
		const refusal = { status: 429, headers: { 'retry-after-ms': '1' }, count: 2 };
		service.fault({ endpoint, match: berta, ...refusal });
		const isRefused = () => service.calls(endpoint) > (endpoint === 'sendText' ? 1 : 0);
		const result = await runUntilClosed(isRefused, { concurrency: 1 }, fallback);
		expect(reasons(result)).toEqual([null, ...late]);
		expect(sentTo()).toEqual([anna]);
	},
);

test('a retry sends the messages that a closing window held back, also with Send Once', async () => {
	// The service refuses the message until the window has closed.
	service.fault({ endpoint: 'sendText', match: berta, status: 429, count: 4 });
	service.fault({ endpoint: 'sendText', match: dora, status: 422 });
	const failed = await runUntilClosed(haveAllTried, {}, { sendOnce: true, campaign: 'evening' });
	expect(sentTo().sort()).toEqual([anna, carl]);
	await service.retry(failed);
	expect(sentTo().sort()).toEqual([anna, berta, carl, dora]);
});
