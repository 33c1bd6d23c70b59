/** The phone's page in Chromium: accessible, live, and usable with the keyboard. */
import { source as axe } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

import type { Sandbox } from '../../../sandbox';
import { until } from '../../../harness/until';
import { closeAll, openReceiver, openSandbox } from '../../service/sandbox/support';
import { openBrowser } from '../../../harness/editor/editor';
import {
	fillPhone,
	sendOrder,
	sendTemplate,
	untilPhoneIsQuiet,
	zara,
} from '../../../harness/editor/phone';

jest.setTimeout(120_000);
const failing = '+15550009999';

let browser: BrowserContext;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
	browser = await openBrowser({ reducedMotion: 'reduce' });
}, 90_000);
beforeEach(async () => {
	page = await browser.newPage();
	page.setDefaultTimeout(20_000);
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

/** The violations that axe-core finds on the page: the rule, and where it is broken. */
async function violations(): Promise<string[]> {
	interface Results {
		violations: Array<{ id: string; nodes: Array<{ target: string[]; failureSummary: string }> }>;
	}
	await page.evaluate(axe);
	const results = await page.evaluate<Results>('axe.run()');
	return results.violations.flatMap(({ id, nodes }) =>
		nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
	);
}

test.each([
	['wide window, light colors', { width: 1400, height: 900 }, 'light'],
	['narrow window, dark colors', { width: 360, height: 740 }, 'dark'],
] as const)(
	'%s: axe-core finds no violation in messages, chats and deliveries of every kind',
	async (_, viewport, colorScheme) => {
		await page.emulateMedia({ colorScheme });
		await page.setViewportSize(viewport);
		const { sandbox } = await openSandbox({ deliveryAttempts: 2, sampleContacts: 0 });
		const receiver = await openReceiver([500]);
		const { webhooks, traffic, messages } = sandbox.state;
		for (const url of [receiver.url, 'http://127.0.0.1:9/nobody']) webhooks.create({ url });
		await fillPhone(sandbox);
		traffic.send({ phone: failing, text: 'Your parcel is ready: https://shop.example.com.' });
		await sendTemplate(sandbox, zara, 'spring_sale', ['Zara']);
		await sendOrder(sandbox, zara);
		await untilPhoneIsQuiet(sandbox);
		traffic.setStatus(messages.withCustomer(zara).at(-1)!, 'failed');
		await untilPhoneIsQuiet(sandbox);

		await open(sandbox);
		await page.getByRole('link', { name: failing }).waitFor();
		expect(await violations()).toEqual([]);
		await open(sandbox, zara);
		for (const part of [
			...['brochure.pdf', 'Picture of the template', 'Track the parcel', 'Not delivered.'],
		])
			await bubble(part).first().waitFor();
		if (!(await page.getByRole('heading', { name: 'Deliveries' }).isVisible())) {
			expect(await violations()).toEqual([]);
			await page.getByRole('button', { name: 'Deliveries', exact: true }).click();
		}
		for (const answer of ['200', 'No answer'])
			await page.getByText(answer, { exact: true }).first().click();
		expect(await violations()).toEqual([]);
	},
);

test('a picture comes without text, and messages to a customer fail or stay unread while a button is on', async () => {
	const { sandbox } = await openSandbox({ sampleContacts: 0 });
	const receiver = await openReceiver();
	sandbox.state.webhooks.create({ url: receiver.url });
	await open(sandbox, zara);
	await page.getByRole('button', { name: 'Send a picture' }).click();
	await bubble('Picture').waitFor();
	await until('the delivery', () => receiver.received.length === 1);
	expect(receiver.received[0].body).toMatchObject({ data: { from: zara, type: 'image' } });
	expect(receiver.received[0].body).not.toHaveProperty('data.text');

	const button = page.getByRole('button', { name: 'Let it fail' });
	for (const isOn of [true, false]) {
		await button.click();
		await page.locator(`button[aria-pressed="${isOn}"]`, { hasText: 'Let it fail' }).waitFor();
		const text = `This one ${isOn ? 'fails' : 'arrives'}`;
		sandbox.state.traffic.send({ phone: zara, text });
		await bubble(text)
			.getByText(isOn ? 'Not delivered.' : /^read/i)
			.waitFor();
	}
	await page.getByRole('button', { name: 'Leave unread' }).click();
	await page.locator('button[aria-pressed="true"]', { hasText: 'Leave unread' }).waitFor();
	expect(sandbox.state.settings).toMatchObject({
		...{ failingNumbers: [failing], unreadNumbers: [zara] },
	});
});

test('a chat is started with the keyboard, and the webhook gets the message', async () => {
	const { sandbox } = await openSandbox({ sampleContacts: 0 });
	const receiver = await openReceiver();
	const customer = '+491709990000';
	await open(sandbox);
	await page.getByRole('searchbox').fill('0049 (170) 999-0000');
	await page.getByRole('link', { name: `Start a chat with ${customer}` }).press('Enter');
	// The page sets the focus.
	await page.locator(`:focus[aria-label="Reply as ${customer}"]`).waitFor();
	await page.keyboard.type('Nobody listens yet');
	await page.keyboard.press('Enter');
	await page.getByText('No workflow got this message').waitFor();

	sandbox.state.webhooks.create({ url: receiver.url, events: ['message.received'] });
	await page.getByText('1 webhook listens').waitFor();
	await page.keyboard.type('Hello');
	await page.keyboard.press('Enter');
	await bubble('Hello').waitFor();
	await until('the delivery', () => receiver.received.length === 1);
	const data = expect.objectContaining({ from: customer, text: 'Hello' });
	expect(receiver.received[0].body).toMatchObject({ event: 'message.received', data });
});
