/** Names, numbers and texts of people who mean harm: in previews, rules, answers, and in what a report is made of. */
import type { INodeParameters } from 'n8n-workflow';

import { People, anna, jsonOf } from '../reply/support';
import { sendText, useService } from '../support/service';
import { Triggers, received } from '../trigger/support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);

const texts = [
	'=HYPERLINK("http://evil.example","Click")',
	"@SUM(1+1)*cmd|'/C calc'!A0",
	'<img src=x onerror=alert(1)>',
	'{{ $env }} ${7*7} {{constructor}}',
	'__proto__',
];

test.each(texts)('the preview of %j is what is sent, letter by letter', async (name) => {
	const parameters: INodeParameters = { ...sendText, text: '=Hello {{ $json.name }}' };
	const run = async (more: INodeParameters) =>
		await service.run({ parameters: { ...parameters, ...more }, items: [{ name }] });
	const preview = await run({ mode: 'preview' });
	expect(preview.outputs[0]).toMatchObject([{ json: { text: `Hello ${name}` } }]);
	expect(service.sent()).toEqual([]);
	await run({});
	expect(service.sent()).toMatchObject([{ text: `Hello ${name}` }]);
});

test.each([
	'=1+15550001000',
	'+1555000100=cmd',
	'+15550001000<script>',
	'<b>+15550001000</b>',
	'+1555000\r\n1000,+15550001001',
	'+15550001000\u0000',
	'__proto__',
	'constructor',
	`+${'1'.repeat(100_000)}`,
])(
	'the number %j is refused, in a preview as in a campaign, and nobody gets anything',
	async (to) => {
		for (const mode of ['preview', 'send']) {
			const { error } = await service.run({
				parameters: { ...sendText, to: '={{ $json.to }}', mode },
				items: [{ to: anna }, { to }],
			});
			expect(error?.message).toContain('[item 1]');
			expect(`${error?.message} ${error?.description}`.length).toBeLessThan(1_000);
		}
		expect(service.sent()).toEqual([]);
	},
);

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
	'%s is a name like any other: of a campaign, a segment, a choice, a sender',
	async (name) => {
		const campaign = { ...sendText, sendOnce: true, campaign: name };
		const audienceRules = { excludeSegment: name, duplicates: 'sendFirst' };
		const items = [{}, {}];
		const sent = await service.run({ parameters: { ...campaign, audienceRules }, items });
		expect(sent.outputs[0].map(({ json }) => json.reason)).toEqual([null, 'duplicate']);

		await triggers.active({ webhookId: `names ${name}` });
		const execution = await people.ask([anna], {
			...{ responseType: 'choice', choices: `Small, ${name}`, replyOptions: { repeats: 1 } },
		});
		await people.write(anna, 'valueOf');
		expect(execution.outputs).toBeUndefined();
		await people.write(anna, name);
		expect(jsonOf(execution)).toMatchObject([{ accepted: true, answer: name }]);

		const parameters = { options: { groupMessages: 0.1 } };
		const trigger = await triggers.active({ webhookId: `groups ${name}`, parameters });
		await triggers.deliver(trigger, received({ from: name, text: name, id: name }));
		expect(trigger.executions.map(({ items: [[item]] }) => item.json.text)).toEqual([name]);
		expect(({} as Record<string, unknown>).text).toBeUndefined();
	},
);
