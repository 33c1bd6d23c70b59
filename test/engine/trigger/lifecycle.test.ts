/** The registration at the service, from publishing to unpublishing, through n8n's own contexts, over HTTP. */
import { omit } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { received, Triggers, useService } from '../../../harness/engine/service';
import type { Trigger, TriggerOptions } from '../../../harness/engine/trigger';
import type { FaultOrder } from '../../../sandbox/faults';

const service = useService();
const triggers = new Triggers(service);

/** The registrations at the service. */
const registered = () => service.sandbox.state.webhooks.all;

/** The registrations of one trigger: those for its URL with a secret. */
const own = ({ url }: Trigger) =>
	registered().filter((webhook) => webhook.url.split('?')[0] === url);

/** Adds a registration at the service, as if somebody else had made it. */
const foreign = (url: string) =>
	service.sandbox.state.webhooks.create({ url, events: ['message.received'] });

const statusOf = async (trigger: Trigger, url = triggers.urlOf(trigger)) =>
	(await triggers.deliver(trigger, received(), {}, url)).status;

/** The same trigger after a change of its fields, which is not published yet. */
const change = async (trigger: Trigger, parameters: INodeParameters) => {
	const { workflowId, staticData } = trigger as unknown as Required<TriggerOptions>;
	return await triggers.make({ workflowId, staticData, parameters });
};
const publishChange = async (trigger: Trigger, parameters: INodeParameters) => {
	const changed = await change(trigger, parameters);
	await changed.activate();
	return changed;
};

const receipts: INodeParameters = {
	events: ['message.received', 'message.read'],
	options: { otherEvents: 'contact.created, *' },
};
const newSecret: INodeParameters = { options: { secretVersion: 2 } };

describe('the registration', () => {
	test('is made for the URL with a secret and the chosen events, removed, and made again with the same secret', async () => {
		const it = await triggers.active({ parameters: receipts });
		const [{ url }] = registered();
		expect(registered()).toEqual([
			expect.objectContaining({
				url: expect.stringMatching(/\/webhook\/webhook-id\/webhook\?token=[\w-]{43}$/),
				events: ['message.received', 'message.read', 'contact.created', '*'],
			}),
		]);
		await it.deactivate();
		expect(registered()).toEqual([]);
		await it.activate();
		expect(triggers.urlOf(it)).toBe(url);
	});

	test('is kept if it is correct, also if the service writes the URL in another way, and surplus copies are removed', async () => {
		const it = await triggers.active();
		const [webhook] = registered();
		foreign(webhook.url);
		foreign(it.url);
		webhook.url = webhook.url.replace('http:', 'HTTP:');
		await it.activate('init');
		expect(registered()).toEqual([webhook]);
		expect(service.calls('createWebhook')).toBe(1);
		await it.deactivate();
		expect(registered()).toEqual([]);
	});

	const masked = (url: string) => url.replace(/=.*/, '=***');
	/** Ways in which services show the URL of a webhook in their lists. */
	const writings: Array<[string, (url: string) => string | undefined]> = [
		['with a slash at the end', (url) => url.replace('?', '/?')],
		['percent-encoded', (url) => url.replace(/o/g, '%6f')],
		['with its scheme in capitals', (url) => url.replace('http:', 'HTTP:')],
	];
	const hidden: Array<[string, (url: string) => string | undefined]> = [
		['without its query', (url) => url.split('?')[0]],
		['with a masked secret', masked],
		['not at all', () => undefined],
	];

	test.each(writings)(
		'is kept, replaced and removed if the service shows its URL %s',
		async (_, write) => {
			const other = foreign('https://example.com/others');
			service.showWebhooks(write);
			const it = await triggers.active();
			const { url } = own(it)[0];
			for (const reason of ['init', 'update', 'activate'] as const) await it.activate(reason);
			expect(own(it)).toEqual([expect.objectContaining({ url })]);
			expect(service.calls('createWebhook')).toBe(1);
			const changed = await publishChange(it, receipts);
			expect(own(it)).toEqual([
				expect.objectContaining({ url, events: expect.arrayContaining(['*']) }),
			]);
			const withNewSecret = await publishChange(changed, newSecret);
			expect(own(it)).toHaveLength(1);
			expect(own(it)[0].url).not.toBe(url);
			expect(await statusOf(withNewSecret)).toBe(200);
			await withNewSecret.deactivate();
			expect(registered()).toEqual([other]);
		},
	);

	test.each(writings)(
		'leaves nothing behind if the service shows its URL %s and responds to the registration without an ID',
		async (_, write) => {
			const others = ['others', 'more'].map((name) => foreign(`https://example.com/${name}`));
			service.showWebhooks(write, { hidesIds: true });
			const it = await triggers.active();
			await it.activate('update');
			expect(own(it)).toHaveLength(1);
			await it.deactivate();
			expect(registered()).toEqual(others);
		},
	);

	test.each(hidden)(
		'is not made if the service shows its URL %s: the error says how to register by hand, and nothing is left behind',
		async (_, write) => {
			const others = ['others', 'more'].map((name) => foreign(`https://example.com/${name}`));
			for (const hidesIds of [false, true]) {
				service.showWebhooks(write, { hidesIds });
				await expect((await triggers.make()).activate()).rejects.toThrow(
					/does not show the complete addresses of its webhooks.*Manual in 'Registration'/,
				);
				expect(registered()).toEqual(others);
			}
		},
	);

	test.each<[string, () => void]>([
		['hides its URL', () => service.showWebhooks(() => undefined)],
		['refuses it', () => service.fault({ endpoint: 'createWebhook', status: 404, count: 20 })],
	])(
		'is not made if the service %s: with Keep Replies, the error says first to switch that off',
		async (_, hinder) => {
			hinder();
			const it = await triggers.make({ parameters: { keepReplies: true } });
			await expect(it.activate()).rejects.toThrow(
				/Switch off 'Keep Replies for Send and Wait', choose Manual in 'Registration'/,
			);
		},
	);

	test('left over with other events is replaced, and the new one is made first', async () => {
		const it = await triggers.active();
		const [{ id, url }] = registered();
		await publishChange(it, receipts);
		expect(registered()).toEqual([
			expect.objectContaining({ url, events: expect.arrayContaining(['message.read']) }),
		]);
		expect(registered()[0].id).not.toBe(id);
		const writes = service.sandbox.state.requests.last(20).filter(({ method }) => method !== 'GET');
		expect(writes.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE']);
	});

	test('left over is replaced if the service does not show its events: they may be others', async () => {
		const { adapter } = service.sandbox.state;
		jest.spyOn(adapter, 'answer').mockImplementation((name, body, status) => {
			const { data = [] } = body as { data?: object[] };
			const shown = { data: data.map((one) => omit(one, 'events')) };
			return { status, body: name === 'listWebhooks' ? shown : body };
		});
		await publishChange(await triggers.active(), receipts);
		expect(registered()).toEqual([
			expect.objectContaining({ events: expect.arrayContaining(['message.read']) }),
		]);
	});

	test('does not affect registrations whose URL only begins with the same text', async () => {
		const it = await triggers.make();
		const endings = [
			'-test',
			'2?token=abc',
			'/more',
			'/more?token=***',
			'?token=own',
			'?a=1&token=',
		];
		const others = endings.map((ending) => foreign(it.url + ending));
		await it.activate();
		const changed = await triggers.active({ parameters: receipts, staticData: it.staticData });
		expect(registered()).toEqual([...others, ...own(it).slice(-1)]);
		expect(own(it).at(-1)?.url).toMatch(/\?token=[\w-]{43}$/);
		await changed.deactivate();
		expect(registered()).toEqual(others);
	});

	test.each([409, 422])(
		'is replaced at a service that accepts each URL once (%d)',
		async (status) => {
			const it = await triggers.make();
			foreign(it.url);
			service.fault({ endpoint: 'createWebhook', status });
			await it.activate();
			expect(own(it)).toEqual([
				expect.objectContaining({ url: expect.stringContaining('?token=') }),
			]);
		},
	);

	test('stays if the service changes it', async () => {
		const it = await triggers.active();
		const [{ id, url }] = registered();
		service.fault({ endpoint: 'createWebhook', status: 200, body: { id, url } });
		await publishChange(it, receipts);
		expect(registered()).toEqual([expect.objectContaining({ id, url })]);
	});

	test.each(['events: ', 'Event '])('stays if the service refuses "%s…"', async (about) => {
		const it = await triggers.active();
		const before = [...registered()];
		const body = { message: `${about}"message.recieved" is unknown` };
		service.fault({ endpoint: 'createWebhook', status: 422, body, count: 20 });
		const parameters = { options: { otherEvents: 'message.recieved' } };
		const changed = await triggers.make({ parameters, staticData: it.staticData });
		jest.spyOn(changed, 'deactivate').mockResolvedValue(); // n8n uses this to clean up
		await expect(changed.activate()).rejects.toThrow(/"message.recieved" is unknown.*Other Event/);
		expect(registered()).toEqual(before);
	});

	test.each([404, 405, 422])(
		'refused with HTTP %d: the error says how to register by hand',
		async (status) => {
			service.fault({ endpoint: 'createWebhook', status, count: 20 });
			const it = await triggers.make();
			const error = await it.activate().catch((thrown: Error) => thrown);
			expect((error as Error).message).toMatch(
				/choose Manual in 'Registration' under 'Options', and register this URL at the service by hand: http/i,
			);
			expect((error as Error).message).toContain(it.url);
		},
	);

	test.each<[string, FaultOrder, RegExp]>([
		['does not respond', { reset: 'beforeRead' }, /before you run the node again/],
		['fails', { status: 500 }, /before you run the node again/],
		['limits the rate', { status: 429, headers: { 'retry-after': '7200' } }, /\. Try again in 2/],
	])('fails if the service %s, and the error says what to do again', async (_, fault, again) => {
		const messageOf = async (mode?: 'test') => {
			service.fault({ endpoint: 'createWebhook', ...fault, count: 20 });
			const credentials = service.credentials(service.newKey());
			const it = await triggers.make({ mode, credentials });
			const error = await it.activate().catch((thrown: Error) => thrown);
			service.sandbox.state.faults.remove();
			return (error as Error).message;
		};
		const inEditor = await messageOf('test');
		expect(inEditor).toMatch(again);
		expect(await messageOf()).toBe(inEditor.replace(/run the node again/i, 'publish again'));
		expect(inEditor).not.toMatch(/\(E[A-Z]+\)|undefined/); // n8n would replace a message that contains such a code
	});

	test('is found even if n8n has stored nothing about it', async () => {
		const it = await triggers.active();
		await triggers.active({ staticData: {} });
		expect(own(it)).toHaveLength(1);
		await (await triggers.make({ staticData: {} })).deactivate();
		expect(registered()).toEqual([]);
	});

	test('counts as removed if it no longer exists', async () => {
		const it = await triggers.active();
		service.fault({ endpoint: 'deleteWebhook', status: 404 });
		await it.deactivate();
		expect(service.calls('deleteWebhook')).toBe(1);
	});

	test('is removed later if the deactivation failed', async () => {
		const it = await triggers.active();
		service.fault({ endpoint: 'deleteWebhook', status: 403 });
		await expect(it.deactivate()).rejects.toThrow(
			/could not be removed at the service.*not allowed.*publish the workflow again, then unpublish it/,
		);
		await it.activate();
		await it.deactivate();
		expect(registered()).toEqual([]);
	});

	const failing = (endpoint: FaultOrder['endpoint'], skip = 0): FaultOrder => ({
		endpoint,
		status: 403,
		skip,
		count: 20,
	});
	const failures: Array<[string, FaultOrder[]]> = [
		['lists nothing', [failing('listWebhooks')]],
		[
			'registers nothing, then lists nothing',
			[failing('createWebhook'), failing('listWebhooks', 2)],
		],
		['registers and removes nothing', [failing('createWebhook'), failing('deleteWebhook')]],
	];

	test.each(failures)(
		'is made when a changed trigger is published again after the service %s, because the clean-up does not fail, except when n8n starts',
		async (_, faults) => {
			const it = await triggers.active();
			const changed = await change(it, receipts);
			const deactivate = jest.spyOn(changed, 'deactivate');
			const cleanUp = async () => await deactivate.mock.results.at(-1)?.value;
			for (const fault of faults) service.fault(fault);
			await expect(changed.activate('update')).rejects.toThrow('HTTP 403');
			await expect(cleanUp()).resolves.toBeUndefined();
			await expect(changed.deactivate()).rejects.toThrow('could not be removed at the service');
			await expect(changed.activate('init')).rejects.toThrow('HTTP 403');
			await expect(cleanUp()).rejects.toThrow('could not be removed at the service');
			service.sandbox.state.faults.remove();
			await changed.activate('update');
			expect(own(it)).toEqual([
				expect.objectContaining({ events: expect.arrayContaining(['message.read']) }),
			]);
		},
	);

	test('is looked up if the service did not respond', async () => {
		const it = await triggers.make();
		service.fault({ endpoint: 'createWebhook', reset: 'afterRead' });
		await it.activate();
		expect(own(it)).toHaveLength(1);
		expect(service.calls('createWebhook')).toBe(1);
	});

	test('is removed if the activation then fails', async () => {
		const it = await triggers.make();
		service.fault({ endpoint: 'createWebhook', reset: 'afterRead' });
		service.fault({ endpoint: 'listWebhooks', status: 403, skip: 1 });
		await expect(it.activate()).rejects.toThrow(/HTTP 403.*use an API key with the necessary/);
		expect(registered()).toEqual([]);
	});

	const responses: Array<[string, Partial<FaultOrder>]> = [
		['does not respond', { status: 429, headers: { 'retry-after': '86400' } }],
		['does not accept the API key', { status: 401 }],
	];
	describe.each([
		['n8n starts', 'init'],
		['another main process of n8n takes over', 'leadershipChange'],
	] as const)('when %s', (_, reason) => {
		test.each(responses)('stays as it was if the service %s', async (__, response) => {
			// The requests of this key may then be delayed for a day.
			const it = await triggers.active({ credentials: service.credentials(service.newKey()) });
			const before = [...registered()];
			service.fault({ endpoint: 'listWebhooks', ...response });
			await it.activate(reason);
			expect(registered()).toEqual(before);
			expect(await statusOf(it, own(it)[0].url)).toBe(200);
		});
	});

	test('is an error if the service does not accept the API key when the workflow is published', async () => {
		const it = await triggers.active({ credentials: service.credentials(service.newKey()) });
		service.fault({ endpoint: 'listWebhooks', status: 401 });
		await expect(it.activate('update')).rejects.toThrow('does not accept the API key');
	});

	test('of a test is separate', async () => {
		const production = await triggers.active();
		const test = await triggers.active({ mode: 'test' });
		expect([own(production), own(test)]).toEqual([[expect.anything()], [expect.anything()]]);
		const [[{ url }], [{ url: testUrl }]] = [own(production), own(test)];
		const crossed = [
			`${test.url}?${url.split('?')[1]}`,
			`${production.url}?${testUrl.split('?')[1]}`,
		];
		expect([await statusOf(test, crossed[0]), await statusOf(production, crossed[1])]).toEqual([
			...[401, 401],
		]);
		await test.deactivate();
		expect(registered()).toEqual(own(production));
	});

	test('of a copy of the workflow is separate', async () => {
		const it = await triggers.active();
		const copy = await triggers.active({ webhookId: 'another-id', staticData: it.staticData });
		await it.deactivate();
		expect(registered()).toEqual(own(copy));
		expect(own(copy)).toHaveLength(1);
	});

	test.each([false, true])(
		'is removed when the user changes to registering by hand, and nothing else is changed (the inbox: %s)',
		async (keepReplies) => {
			const automatic = await triggers.active({ parameters: { keepReplies } });
			const byHand = foreign(automatic.url);
			const parameters = { options: { registration: 'manual' } };
			const manual = await publishChange(automatic, parameters);
			expect(registered()).toEqual([byHand]);
			await manual.deactivate();
			expect(registered()).toEqual([byHand]);
		},
	);
});
