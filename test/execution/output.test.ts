/** The output of a campaign, and n8n's log while it runs. */
import { ExecuteContext } from 'n8n-core';
import type { INode, INodeParameters } from 'n8n-workflow';

import { campaign, people, useService } from '../support/service';

const service = useService();

describe('Keep Input Fields', () => {
	/** As a table with the results of an earlier campaign may have it. */
	const row = { n: 1000, name: 'Anna', to: 'old', skipped: true, error: 'old', status: 'old' };
	const run = async (
		own: INodeParameters = {},
		onError: INode['onError'] = 'continueRegularOutput',
	) => {
		const options = { keepInputFields: true };
		const parameters = { ...campaign, options, ...own };
		const { outputs } = await service.run({ parameters, items: [row], onError });
		return outputs;
	};
	const refuse = async () => await service.fault({ endpoint: 'sendText', status: 422 });

	test.each<[string, INodeParameters]>([
		['sent', {}],
		['skipped', { audienceRules: { excludeNumbers: '+15550001000' } }],
		['preview', { mode: 'preview' }],
		['test', { mode: 'test', testNumber: '+15550009999' }],
		['notSent', { to: 'nobody' }],
		['notSent', {}],
	])('an item that is %s has the columns of the person after its own fields', async (...kind) => {
		const [sendStatus, parameters] = kind;
		if (sendStatus === 'notSent') await refuse();
		const [[{ json, pairedItem }]] = await run(parameters);
		expect(json).toMatchObject({ sendStatus, name: 'Anna', n: 1000 });
		expect(Object.keys(json).slice(0, 4)).toEqual(['to', 'sendStatus', 'reason', 'messageId']);
		expect(pairedItem).toEqual({ item: 0 });
		expect(json.to).not.toBe('old');
		expect(json.skipped).toBe(sendStatus === 'skipped' || undefined);
		expect(json.error).not.toBe('old');
		expect(json.status === 'old').toBe(sendStatus !== 'sent' && sendStatus !== 'test');
	});

	test('in the error output n8n itself keeps them', async () => {
		await refuse();
		const [done, failed] = await run({}, 'continueErrorOutput');
		expect(done).toEqual([]);
		expect(failed[0].json).toMatchObject({ name: 'Anna', error: { sendStatus: 'notSent' } });
	});

	test('without the option, nothing of the input comes out', async () => {
		expect((await run({ options: {} }))[0][0].json).not.toHaveProperty('name');
	});
});

test('n8n’s log shows how far a campaign is, and nothing of its messages', async () => {
	const logger = { info: jest.fn(), error: jest.fn(), warn: jest.fn(), debug: jest.fn() };
	const spy = jest.spyOn(ExecuteContext.prototype, 'logger', 'get');
	spy.mockReturnValue(logger as unknown as ExecuteContext['logger']);
	await service.fault({ endpoint: 'sendText', match: '+15550001000', status: 422 });
	const parameters = { ...campaign, audienceRules: { frequencyCap: { values: {} } } };
	const items = [...people(250), { n: 1001 }];
	await service.run({ parameters, items, onError: 'continueRegularOutput' });
	spy.mockRestore();
	const lines = logger.info.mock.calls.map(([line]) => String(line));
	expect(lines).toEqual([
		expect.stringMatching(
			/^Workflow "workflow", execution \d+, node "Tested Node": 100 of 251 messages \(.*\), about \d+ min left$/,
		),
		expect.stringContaining('200 of 251'),
		expect.stringContaining('251 of 251 messages (1 failed, 1 skipped)'),
	]);
	expect(lines.join()).not.toContain('1555');
});
