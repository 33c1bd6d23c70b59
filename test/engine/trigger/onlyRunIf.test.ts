/** The filter Only Run If, whose expression n8n evaluates with the delivery as its item. n8n 1 gives it no item. */
import { received, Triggers, useService } from '../../../harness/engine/service';

const triggers = new Triggers(useService());
const [hello, order] = ['Hello', 'An order'].map((text) => received({ id: text, text }));

test.each([
	['={{ $json.body.data.text.length > 7 }}', ['An order']],
	['={{ $json.body.data.nothing }}', []],
	['={{ $json.headers["content-type"].startsWith("application/json") }}', ['Hello', 'An order']],
	['', ['Hello', 'An order']],
])('with Only Run If %s, %j start executions', async (onlyRunIf, expected) => {
	const trigger = await triggers.active({ parameters: { filters: { onlyRunIf } } });
	for (const body of [hello, order]) await triggers.deliver(trigger, body);
	expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(expected);
});

test('a delivery with several events passes Only Run If, which is only for deliveries with one event', async () => {
	const onlyRunIf = '={{ $json.body.data.text.length > 7 }}';
	const trigger = await triggers.active({ parameters: { filters: { onlyRunIf } } });
	await triggers.deliver(trigger, [hello, order]);
	expect(trigger.executions.map(({ items }) => items[0].length)).toEqual([2]);
});
