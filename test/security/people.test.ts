/** Malicious names, numbers and texts of people: in previews, rules, replies and reports. */
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

/** Refused in a preview as in a campaign, in an error that a person can read, and nobody gets anything. */
async function expectRefused(to: string): Promise<void> {
	const parameters = { ...sendText, to: '={{ $json.to }}' };
	const items = [{ to: anna }, { to }];
	const preview = await service.run({ parameters: { ...parameters, mode: 'preview' }, items });
	expect(preview.outputs[0].map(({ json }) => json.sendStatus)).toEqual(['preview', 'notSent']);
	const excluding = { ...sendText, audienceRules: { excludeNumbers: to } };
	for (const run of [{ parameters, items }, { parameters: excluding }]) {
		const { error } = await service.run(run);
		expect(error?.message).toMatch(/\[item \d]/);
		expect(`${error?.message} ${error?.description}`.length).toBeLessThan(1_000);
	}
	expect(service.sent()).toEqual([]);
}

test.each([
	'=1+15550001000',
	'+1555000100=cmd',
	'+15550001000<script>',
	'<b>+15550001000</b>',
	'+1555000\r\n1000,+15550001001',
	'+15550001000\u0000',
	'__proto__',
	'constructor',
])('the number %j is refused as a recipient and as one to exclude', expectRefused);

test('of a number with 100,000 digits, errors quote the beginning', async () => {
	await expectRefused(`+${'1'.repeat(100_000)}`);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
	'%s is a name like any other: of a campaign, a segment, a choice, a sender',
	async (name) => {
		const campaign = { ...sendText, sendOnce: true, campaign: name };
		const audienceRules = { excludeSegment: name, duplicates: 'sendFirst' };
		const items = [{}, {}];
		const sent = await service.run({ parameters: { ...campaign, audienceRules }, items });
		expect(sent.outputs[0].map(({ json }) => json.reason)).toEqual([null, 'duplicate']);

		await triggers.active({ webhookId: `names-${name}` });
		const execution = await people.ask([anna], {
			...{ responseType: 'choice', choices: `Small, ${name}`, replyOptions: { repeats: 1 } },
		});
		await people.write(anna, 'valueOf');
		expect(execution.outputs).toBeUndefined();
		await people.write(anna, name);
		expect(jsonOf(execution)).toMatchObject([{ accepted: true, answer: name }]);

		const parameters = { options: { groupMessages: 0.1 } };
		const trigger = await triggers.active({ webhookId: `groups-${name}`, parameters });
		await triggers.deliver(trigger, received({ from: name, text: name, id: name }));
		expect(trigger.executions.map(({ items: [[item]] }) => item.json.text)).toEqual([name]);
		expect(({} as Record<string, unknown>).text).toBeUndefined();
	},
);
