/** Rules of a send that are easily broken without any other effect. */
import { range } from 'lodash';

import { campaign, locator, people, sendText, useService } from '../../../harness/engine/service';

const service = useService();
const to = '+15550001000';
const fallback = {
	...{ ...sendText, useFallbackTemplate: true, fallbackTemplate: locator('login_code', 'name') },
	...{ fallbackLanguage: locator('en_US', 'code') },
	fallbackVariables: { mappingMode: 'defineBelow', value: { body_1: '1' } },
};

test.each(range(5))(
	'after item %i is refused, only the requests under way still go out',
	async (n) => {
		const match = `+1555000${1000 + n}`;
		service.fault({ endpoint: 'sendText', match, status: 422 });
		const parameters = { ...campaign, options: { concurrency: 5 } };
		const { error } = await service.run({ parameters, items: people(200) });
		expect(error?.context?.itemIndex).toBe(n);
		expect(service.calls('sendText')).toBeLessThan(100);
	},
);

test.each([1, 2])('an uncertain message keeps its place in a cap of %i', async (messages) => {
	const workflowId = `uncertain ${messages}`;
	const audienceRules = { frequencyCap: { values: { messages, per: 'month' } } };
	const lost = { status: 500, processed: true, count: messages };
	service.fault({ endpoint: 'sendText', ...lost });
	const parameters = { ...sendText, audienceRules };
	for (let n = 0; n < messages + 2; n++)
		await service.run({ parameters, workflowId, onError: 'continueRegularOutput' });
	expect(service.received()).toEqual({ [to]: messages });
});

test('a text and its fallback have different idempotency keys', async () => {
	service.fault({ endpoint: 'sendText', status: 422 });
	await service.run({ parameters: fallback });
	const keys = service.requests().map(({ headers }) => headers['idempotency-key']);
	const sends = keys.filter((key) => key !== undefined);
	expect(sends).toHaveLength(2);
	expect(new Set(sends).size).toBe(2);
});

test('a fallback in a test is a test', async () => {
	service.fault({ endpoint: 'sendText', status: 422 });
	const mode = { mode: 'test', testNumber: '+15550009999' };
	const { outputs } = await service.run({ parameters: { ...fallback, ...mode } });
	expect(outputs[0][0].json).toMatchObject({
		sendStatus: 'test',
		sentAs: 'template',
		meantFor: to,
	});
});

const components = [{ type: 'body', parameters: [{ type: 'text', text: '1' }] }];

test.each([
	['fields', { variables: fallback.fallbackVariables }],
	['JSON', { specifyVariables: 'json', componentsJson: JSON.stringify(components) }],
])('a preview shows the text of a template whose variables are given by %s', async (_, given) => {
	const parameters = {
		...{ resource: 'message', operation: 'sendTemplate', to, mode: 'preview', ...given },
		...{ template: locator('login_code', 'name'), language: locator('en_US', 'code') },
	};
	const { outputs } = await service.run({ parameters });
	expect(outputs[0][0].json.text).toBe('1 is your login code.');
});

test.each(['zh-Hant-TW', 'ZH_hant_tw', 'zh_Hant-tw'])(
	'the language %s finds its template',
	async (language) => {
		service.list('listTemplates', { name: 'far', language: 'zh_Hant_TW' });
		service.fault({ endpoint: 'sendTemplate', status: 200, body: { id: 'm1' } });
		const credentials = service.credentials(service.newKey());
		const parameters = {
			resource: 'message',
			operation: 'sendTemplate',
			to,
			template: locator('far', 'name'),
			language: locator(language, 'code'),
		};
		expect((await service.run({ credentials, parameters })).error).toBeUndefined();
		expect(service.requests('sendTemplate')).toMatchObject([{ body: { language: 'zh_Hant_TW' } }]);
	},
);
