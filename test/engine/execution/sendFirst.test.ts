/** Duplicates: Send First. Each person gets one message, also if the first one is refused. */
import type { INodeParameters } from 'n8n-workflow';
import { range, shuffle, sortBy } from 'lodash';

import { sendText, useService } from '../../../harness/engine/service';
import { anna, berta } from './audienceRuns';

const service = useService();
const parameters = {
	...sendText,
	...{ to: '={{ $json.phone }}', text: '={{ $json.text }}' },
	audienceRules: { duplicates: 'sendFirst' },
};
const onError = 'continueRegularOutput';
const refuse = async (match: string) =>
	service.fault({ endpoint: 'sendText', match, status: 422, count: 99 });

test('of several items of a person, the first one is sent that the service does not certainly refuse', async () => {
	const fates = ['refused', 'uncertain', 'fine'] as const;
	const statuses = { refused: 'notSent', uncertain: 'mayHaveBeenSent', fine: 'sent' };
	await refuse('refused');
	const lost = { status: 500, processed: true, count: 99 };
	service.fault({ endpoint: 'sendText', match: 'uncertain', ...lost });
	const people = range(27).map((n) => {
		const own = [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)].map((fate) => fates[fate]);
		return own.map((fate, k) => ({ phone: `+15550001${100 + n}`, k, fate, text: `${k} ${fate}` }));
	});
	const items = sortBy(shuffle(people.flat()), 'k');
	const { outputs } = await service.run({ parameters, items, onError });
	for (const own of people) {
		const first = own.findIndex(({ fate }) => fate !== 'refused');
		const expected = own.map(({ fate }, k) =>
			first >= 0 && k > first ? 'duplicate' : statuses[fate],
		);
		const results = outputs[0].filter(({ json }) => json.to === own[0].phone);
		const seen = results.map(({ json: { sendStatus, reason } }) =>
			reason === 'duplicate' ? reason : sendStatus,
		);
		expect(seen).toEqual(expected);
		const texts = service.sent().filter(({ phone }) => phone === own[0].phone);
		expect(texts.map(({ text }) => text)).toEqual(first < 0 ? [] : [own[first].text]);
	}
});

const two = [
	{ phone: anna, text: 'refused' },
	{ phone: berta, text: 'one' },
	{ phone: anna, text: 'two' },
	{ phone: anna, text: 'three' },
];

test('a retry does not send the first item of a person who has got the second one', async () => {
	await refuse('refused');
	const once = await service.run({ parameters, items: two, onError });
	expect(once.outputs[0].map(({ json }) => json.sendStatus)).toEqual([
		...['notSent', 'sent', 'sent', 'skipped'],
	]);
	service.sandbox.reset();
	service.fault({ endpoint: 'sendText', match: 'refused', status: 422 });
	// As the first output has an error, n8n runs the node again. The service no longer refuses the first item.
	await service.run({ parameters, items: two, onError, retryOnFail: true, maxTries: 2 });
	expect(service.received()).toEqual({ [anna]: 1, [berta]: 1 });
});

test.each<[string, INodeParameters]>([
	['is excluded', { excludeNumbers: anna }],
	['is over the cap', { frequencyCap: { values: { messages: 1, per: 'week' } } }],
])('a person who %s gets no message of a later item', async (_, rule) => {
	const workflowId = `send first ${Object.keys(rule)[0]}`;
	const audienceRules = { ...rule, ...parameters.audienceRules };
	const run = async () =>
		await service.run({
			workflowId,
			items: two.slice(2),
			parameters: { ...parameters, audienceRules },
		});
	await run();
	const before = service.sent().length;
	const { outputs } = await run();
	expect(outputs[0].map(({ json }) => json.sendStatus)).toEqual(['skipped', 'skipped']);
	expect(service.sent()).toHaveLength(before);
});

test('without Continue, nothing is sent instead of a refused item', async () => {
	await refuse('refused');
	const options = { concurrency: 1 };
	await service.run({ parameters: { ...parameters, options }, items: two });
	expect(service.sent()).toEqual([]);
});
