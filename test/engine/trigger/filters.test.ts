/** Filters: Only Run If, whose expression n8n evaluates with the delivery as its item (n8n 1 gives it no item), and Senders. */
import { received, Triggers, useService } from '../../../harness/engine/service';

const triggers = new Triggers(useService());
const [hello, order] = ['Hello', 'An order'].map((text) => received({ id: text, text }));

test.each([
	['={{ $json.body.data.text.length > 7 }}', ['An order']],
	['={{ $json.body.data.nothing }}', []],
	['={{ $json.headers["content-type"].startsWith("application/json") }}', ['Hello', 'An order']],
	// as in n8n's Webhook node, a value that counts as true is enough
	['={{ $json.body.data.text.match(/order/) }}', ['An order']],
	['={{ $json.body.data.text.includes("order") && $json.body.data.id }}', ['An order']],
	['={{ $json.body.data.text.includes("order") ? 1 : 0 }}', ['An order']],
	['={{ $json.body.data.text.includes("order") ? { id: 1 } : null }}', ['An order']],
	['={{ $json.body.data.text.includes("order") ? "yes" : "" }}', ['An order']],
	['={{ $json.body.data.text.length > 7 }}\n', ['An order']],
	['={{ $json.body.data.nothing }} ', []],
	['', ['Hello', 'An order']],
	['=', ['Hello', 'An order']],
])('with Only Run If %s, %j start executions', async (onlyRunIf, expected) => {
	const trigger = await triggers.active({ parameters: { filters: { onlyRunIf } } });
	for (const body of [hello, order]) await triggers.deliver(trigger, body);
	expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(expected);
});

test('a delivery passes Only Run If if its body is not one event that n8n has parsed', async () => {
	const onlyRunIf = '={{ $json.body.data.text.length > 7 }}';
	const trigger = await triggers.active({ parameters: { filters: { onlyRunIf } } });
	const started = async (body: unknown, type = 'application/json') => {
		const { workflowData = [] } = await triggers.deliver(trigger, body, { 'Content-Type': type });
		return workflowData.flat().map(({ json }) => json.text);
	};
	let count = 0;
	const short = () => received({ id: `short ${++count}`, text: 'Hi' });
	expect(await started(short())).toEqual([]);
	expect(await started([short(), short()])).toEqual(['Hi', 'Hi']);
	for (const body of [[short()], { events: [short()] }, { data: [short()] }])
		expect(await started(body)).toEqual(['Hi']);
	const types = ['', 'text/plain', 'application/cloudevents+json', 'application/octet-stream'];
	for (const type of types) expect([type, await started(short(), type)]).toEqual([type, ['Hi']]);
});

test.each([
	[
		{ senders: '+49 170 1234567, 0170 1234567' },
		'"0170 1234567" in \'Filters\' has no country code',
	],
	[{ excludedSenders: ['0170*'] }, '"0170*" in \'Filters\' has no country code'],
])(
	'a local number, which no sender has, is refused when the workflow is published: %j',
	async (filters, message) => {
		await expect(triggers.active({ parameters: { filters } })).rejects.toThrow(message);
	},
);
