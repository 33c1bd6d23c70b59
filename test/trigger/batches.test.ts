/** Several events in one delivery, and services that ask an address before they register it. */
import axios from 'axios';

import { useService } from '../support/service';
import { Triggers, customer, received } from './support';

const service = useService();
const triggers = new Triggers(service);
const texts = ['One', 'Two', 'Three'].map((text, index) => received({ id: `msg_${index}`, text }));

test.each([
	['a list', texts],
	['a list under a name', { events: texts }],
])('starts one execution with an item for each event of %s', async (_, body) => {
	const trigger = await triggers.active();
	const { status, workflowData } = await triggers.deliver(trigger, body);
	expect([status, trigger.executions.length]).toEqual([200, 1]);
	expect(workflowData?.[0].map(({ json }) => json.text)).toEqual(['One', 'Two', 'Three']);
});

test('leaves out of a batch what is not wanted, and what came before', async () => {
	const trigger = await triggers.active({ parameters: { filters: { senders: customer } } });
	await triggers.deliver(trigger, texts[1]);
	const batch = [
		texts[0],
		texts[1],
		received({ id: 'msg_9', from: '+15550002222' }),
		{ event: 'contact.created', data: {} },
		texts[2],
		texts[2],
	];
	const { workflowData } = await triggers.deliver(trigger, batch);
	expect(workflowData?.[0].map(({ json }) => json.text)).toEqual(['One', 'Three']);
	const again = await triggers.deliver(trigger, batch);
	expect([again.status, trigger.executions.length]).toEqual([200, 2]);
});

test('takes a batch of many without a word on stderr', async () => {
	const trigger = await triggers.active();
	const warning = jest.spyOn(process, 'emitWarning');
	const many = Array.from({ length: 50 }, (_, n) => received({ id: `many_${n}` }));
	expect((await triggers.deliver(trigger, many)).workflowData?.[0]).toHaveLength(50);
	expect(warning).not.toHaveBeenCalled();
});

test.each([
	['hub.challenge', { 'hub.mode': 'subscribe', 'hub.challenge': '115<b>' }, '115<b>'],
	['challenge', { challenge: 'abc' }, 'abc'],
	['validationToken', { validationToken: 'Validation: x y' }, 'Validation: x y'],
	['nothing', {}, ''],
])('answers a GET with %s as text, and starts nothing', async (_, params, word) => {
	const trigger = await triggers.active();
	const { status, data, headers } = await axios.get<string>(triggers.urlOf(trigger), {
		params,
		responseType: 'text',
		transformResponse: (text: string) => text,
	});
	expect([status, data, trigger.executions]).toEqual([200, word, []]);
	expect(headers).toMatchObject({
		'content-type': 'text/plain; charset=utf-8',
		'x-content-type-options': 'nosniff',
	});
});

test('answers a challenge that comes with POST, also before it knows its secret', async () => {
	const trigger = await triggers.active();
	const { status, body } = await triggers.deliver(
		trigger,
		{ type: 'url_verification', challenge: 'abc' },
		{},
		trigger.url,
	);
	expect([status, body, trigger.executions]).toEqual([200, { challenge: 'abc' }, []]);
	expect(
		(await triggers.deliver(trigger, { ...received(), challenge: 'abc' }, {}, trigger.url)).status,
	).toBe(401);
});
