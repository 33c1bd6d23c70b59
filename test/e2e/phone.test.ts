/** The phone's page in Chromium: accessible, live, and usable with the keyboard alone. */
import { source as axe } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

import type { Sandbox } from '../../sandbox';
import { until } from '../../tools/until';
import { clientOf, closeAll, openReceiver, openSandbox } from '../sandbox/support';
import { openBrowser } from './support/editor';

jest.setTimeout(120_000);
const limit = 20_000;

/** Customers of {@link fillPhone}. */
const people = {
	ada: '+15552000001',
	grace: '+15552000002',
	alan: '+15552000003',
	nameless: '+491701234567',
	/** Whose messages fail. */
	edsger: '+15550009999',
};
const { ada } = people;

let browser: BrowserContext;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
	browser = await openBrowser({ reducedMotion: 'reduce' });
}, 90_000);
beforeEach(async () => {
	page = await browser.newPage();
	page.setDefaultTimeout(limit);
	page.on('pageerror', ({ message }) => problems.push(message));
	page.on('console', (line) => line.type() === 'error' && problems.push(line.text()));
});
afterEach(async () => {
	await page.close();
	await closeAll();
	expect(problems.splice(0)).toEqual([]);
});
afterAll(async () => await browser?.browser()?.close());

const open = async ({ url }: Sandbox, phone = '') => {
	await page.goto(`${url}/#${phone}`);
	await page.getByText('Live', { exact: true }).waitFor();
};
const bubble = (text: string) =>
	page.getByRole('log').getByRole('listitem').filter({ hasText: text });
/** Words of what has the focus. */
const focused = async () =>
	await page.evaluate<string>(
		"document.activeElement.matches('body') ? '' : document.activeElement.ariaLabel ?? document.activeElement.innerText",
	);

/** Waits for the page to set the focus. */
async function focusIsIn(box: string): Promise<void> {
	await page.locator(`:focus[aria-label="${box}"]`).waitFor();
}

/** Goes on with the Tab key until something of this name has the focus. */
async function tabTo(name: string, key = 'Tab'): Promise<void> {
	const passed: string[] = [];
	for (let here = await focused(); !here.includes(name); here = await focused()) {
		if (passed.length === 40)
			throw new Error(`${key} does not lead to "${name}", but to ${passed.join(', ')}`);
		passed.push(here);
		await page.keyboard.press(key);
	}
}

describe.each([
	['wide, light', { width: 1400, height: 900 }, 'light'],
	['narrow, dark', { width: 360, height: 740 }, 'dark'],
] as const)('%s', (_, viewport, colorScheme) => {
	beforeEach(async () => {
		await page.emulateMedia({ colorScheme });
		await page.setViewportSize(viewport);
	});
	const toggleDeliveries = async () =>
		await page.getByRole('button', { name: 'Deliveries', exact: true }).click();

	test('axe-core finds no violation in messages, chats and deliveries of every kind', async () => {
		const { sandbox } = await openSandbox({ deliveryAttempts: 2, sampleContacts: 0 });
		const receiver = await openReceiver([500]);
		for (const url of [receiver.url, 'http://127.0.0.1:9/nobody'])
			sandbox.state.webhooks.create({ url });
		await fillPhone(sandbox);
		const { deliveries, messages } = sandbox.state;
		await until(
			'all is delivered',
			() =>
				messages.all.filter(({ status }) => status === 'read').length >= 8 &&
				deliveries.log.last().every(({ state }) => state !== 'pending'),
		);
		sandbox.state.traffic.setStatus(sandbox.state.messages.withCustomer(ada).at(-1)!, 'failed');
		await open(sandbox);
		await page.getByRole('link', { name: 'Edsger' }).waitFor();
		expect(await violationsOf(page)).toEqual([]);
		await open(sandbox, ada);
		for (const part of [
			'Spring brochure.pdf',
			'Picture of the template',
			'Track the parcel',
			'Not delivered.',
		])
			await bubble(part).first().waitFor();
		if (!(await page.getByRole('heading', { name: 'Deliveries' }).isVisible())) {
			expect(await violationsOf(page)).toEqual([]);
			await toggleDeliveries();
		}
		for (const answer of ['200', 'No answer'])
			await page.getByText(answer, { exact: true }).first().waitFor();
		expect(await violationsOf(page)).toEqual([]);
	});
});

test('an answer from the box, and one by a quick reply, reach the service and are delivered to the webhook', async () => {
	const { sandbox } = await openSandbox();
	const receiver = await openReceiver();
	await fillPhone(sandbox);
	await open(sandbox, ada);
	const box = page.getByRole('textbox', { name: 'Reply as Ada Lovelace' });
	await box.fill('Nobody listens yet');
	await page.getByRole('button', { name: 'Send' }).click();
	await page.getByText('No workflow got this message').waitFor();

	sandbox.state.webhooks.create({ url: receiver.url, events: ['message.received'] });
	await page.getByText('1 webhook listens').waitFor();
	await box.fill('How much?\nAnd when?');
	await box.press('Enter');
	await bubble('How much?').waitFor();
	expect(await box.inputValue()).toBe('');
	await page.getByRole('button', { name: 'Tell me more' }).click();
	await bubble('Tell me more').last().waitFor();
	await until('both are delivered', () => receiver.received.length === 2);
	expect(receiver.received.map(({ body }) => body)).toMatchObject(
		['How much?\nAnd when?', 'Tell me more'].map((text) => ({
			event: 'message.received',
			data: { from: ada, text },
		})),
	);
	await page
		.getByRole('region', { name: 'Deliveries to webhooks' })
		.getByText('200', { exact: true })
		.nth(1)
		.waitFor();
	expect(await page.getByText('No workflow got this message').isVisible()).toBe(false);
});

test('the keyboard alone suffices', async () => {
	const { sandbox } = await openSandbox({ sampleContacts: 0 });
	await open(sandbox);
	await tabTo('Search chats');
	await page.keyboard.type('0049 (170) 999-0000');
	await page.getByRole('link', { name: 'Start a chat with +491709990000' }).waitFor();
	await tabTo('Start a chat');
	await page.keyboard.press('Enter');
	await page.getByRole('heading', { name: '+491709990000' }).waitFor();
	await focusIsIn('Reply as +491709990000');
	await page.keyboard.type('Hello');
	await page.keyboard.press('Enter');
	await bubble('Hello').waitFor();
	expect(sandbox.state.conversations.all).toMatchObject([{ phone: '+491709990000' }]);
	await page.keyboard.type('Anyone?');
	await tabTo('Send');
	await page.keyboard.press('Enter');
	await bubble('Anyone?').waitFor();
});

test('on a narrow screen the keyboard opens a chat, whose heading then has the focus', async () => {
	await page.setViewportSize({ width: 360, height: 740 });
	const { sandbox } = await openSandbox({ sampleContacts: 2 });
	await open(sandbox);
	await tabTo('Grace Hopper');
	await page.keyboard.press('Enter');
	await page.locator('h2:focus', { hasText: 'Grace Hopper' }).waitFor();
	await tabTo('Reply as Grace Hopper');
});

test('Arabic reads from right to left, and the title names the customer', async () => {
	const { sandbox } = await openSandbox({ sampleContacts: 0 });
	const directionOf = async (place: string) =>
		await page.evaluate<string>(`getComputedStyle(document.querySelector('${place}')).direction`);
	const [name, text] = ['ليلى', 'مرحبا، هل أنتم مفتوحون يوم السبت؟'];
	sandbox.state.traffic.receive({ from: ada, name, text });
	await open(sandbox, ada);
	await bubble(text).waitFor();
	for (const place of ['.bubble .text', '.chats li .text', '.chat h2'])
		expect([place, await directionOf(place)]).toEqual([place, 'rtl']);
	expect(await page.title()).toBe(`${name} – Phone`);
	await page.goto(`${sandbox.url}/#`);
	await page.getByText('Choose a chat').waitFor();
	expect(await page.title()).toBe('Phone');
});

const templateTo = (to: string, template: string, values: string[], more: object = {}) => ({
	to,
	template,
	language: 'en_US',
	components:
		values.length > 0
			? [{ type: 'body', parameters: values.map((text) => ({ type: 'text', text })) }]
			: [],
	...more,
});

function orderTo(to: string, name: string) {
	const order = templateTo(to, 'order_update', [name, 'Friday']);
	const number = (type: string) => ({ type, parameters: [{ type: 'text', text: '4711' }] });
	return { ...order, components: [...order.components, number('header'), number('button')] };
}

/** Sends messages of every kind, all of them also to Ada, by the API, and lets customers answer. */
async function fillPhone({ url, key, state }: Sandbox): Promise<void> {
	const api = clientOf(`${url}/v1`, key);
	const { ada, grace, alan, nameless, edsger } = people;
	const send = async (path: string, body: object) => {
		const { status, data } = await api.post(path, body);
		if (status !== 200 && status !== 201) throw new Error(`${path}: ${JSON.stringify(data)}`);
	};
	const contacts = {
		[ada]: 'Ada Lovelace',
		[grace]: 'Grace Hopper',
		[alan]: 'Alan Turing',
		[edsger]: 'Edsger Dijkstra',
	};
	for (const [phone, name] of Object.entries(contacts)) await send('/contacts', { phone, name });
	await send('/messages/template', templateTo(alan, 'spring_sale', ['Alan']));
	state.traffic.receive({ from: nameless, text: 'Guten Tag! Haben Sie am Samstag offen?' });
	await send('/messages/send', {
		to: nameless,
		text: 'Guten Tag! Ja, von 9 bis 18 Uhr: https://shop.example.com/hours.',
	});
	await send('/messages/send', { to: edsger, text: 'Your parcel is ready to be picked up.' });
	await send('/messages/template', orderTo(grace, 'Grace'));
	const brochure = { headerDocumentUrl: 'https://shop.example.com/files/Spring%20brochure.pdf' };
	await send(
		'/messages/template',
		templateTo(ada, 'welcome', ['Ada', 'the Engine Shop'], brochure),
	);
	await send('/messages/template', templateTo(ada, 'spring_sale', ['Ada']));
	state.traffic.receive({ from: ada, text: 'Thank you!\nDo you ship to London?' });
	await send('/messages/send', { to: ada, text: 'We do, within two days.' });
	await send('/messages/template', orderTo(ada, 'Ada'));
	await send('/messages/template', templateTo(ada, 'invoice', ['Ada']));
}

/** What axe-core finds wrong with what a page shows: the rule, and where. */
async function violationsOf(page: Page): Promise<string[]> {
	await page.evaluate(axe);
	const { violations } = await page.evaluate<AxeResults>('axe.run()');
	return violations.flatMap(({ id, nodes }) =>
		nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
	);
}

/** The part of axe-core's results that is read here. */
interface AxeResults {
	violations: Array<{ id: string; nodes: Array<{ target: string[]; failureSummary: string }> }>;
}
