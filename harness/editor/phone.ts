/** The sandbox's phone with chats on it, for tests and pictures. */
import axios from 'axios';
import type { Page } from 'playwright-core';

import type { Sandbox } from '../../sandbox';
import { until } from '../until';

/** One of the customers of {@link fillPhone}. */
export const zara = '+447700900408';
const [daisy, ines] = ['+447700900144', '+33639980868'];

const variables = (values: string[]) => values.map((text) => ({ type: 'text', text }));

/** Sends one of the sandbox's templates through the API. @param components components other than the body */
export async function sendTemplate(
	{ url, key }: Sandbox,
	to: string,
	template: string,
	values: string[],
	components: object[] = [],
): Promise<void> {
	const body = { type: 'body', parameters: variables(values) };
	await axios.post(
		`${url}/v1/messages/template`,
		{
			...{ to, template, language: 'en_US', components: [body, ...components] },
			headerDocumentUrl: 'https://example.com/brochure.pdf',
		},
		{ headers: { authorization: `Bearer ${key}` }, proxy: false },
	);
}

/** Sends the template for order updates, which has a variable in its header and in its link. */
export async function sendOrder(sandbox: Sandbox, to: string): Promise<void> {
	const number = (type: string) => ({ type, parameters: variables(['4711']) });
	const components = [number('header'), number('button')];
	await sendTemplate(sandbox, to, 'order_update', ['Zara', 'Friday'], components);
}

/** Sends templates and a text, and lets customers answer. */
export async function fillPhone(sandbox: Sandbox): Promise<void> {
	const { traffic } = sandbox.state;
	await sendTemplate(sandbox, ines, 'spring_sale', ['Inès']);
	await sendTemplate(sandbox, daisy, 'appointment_reminder', ['Daisy', 'Tuesday', '11:30']);
	traffic.receive({ from: daisy, text: 'Could we make it Wednesday?' });
	await sendTemplate(sandbox, zara, 'welcome', ['Zara', 'the Example Shop']);
	await sendTemplate(sandbox, zara, 'appointment_reminder', ['Zara', 'Tuesday', '10:00']);
	traffic.receive({ from: zara, text: 'Confirm' });
	traffic.send({ phone: zara, text: 'See you on Tuesday, Zara!' });
}

/** Waits until no message gets another receipt, and all receipts and replies are delivered. */
export async function untilPhoneIsQuiet({ state: { messages, deliveries } }: Sandbox) {
	const last = ['received', 'read', 'failed'];
	const isQuiet = () =>
		messages.all.every(({ history }) => history.some(({ status }) => last.includes(status))) &&
		deliveries.log.last().every(({ state }) => state !== 'pending');
	await until('the phone to be quiet', isQuiet, { limit: 180_000 });
}

/** The chat of a customer, which a browser shows on the phone's page. */
export class Chat {
	private constructor(private readonly page: Page) {}

	/** Opens the chat in a tab. */
	static async open(tab: Page, { url }: Sandbox, phone: string): Promise<Chat> {
		// Otherwise, another chat that the tab shows would stay for a moment.
		await tab.goto('about:blank');
		await tab.goto(`${url}/#${phone}`);
		return new Chat(tab);
	}

	/** Writes as the customer. Returns when the service has the message. */
	async write(text: string): Promise<void> {
		await this.page.getByPlaceholder(/^Reply as/).fill(text);
		const accepted = this.page.waitForResponse(/inbound$/);
		await this.page.keyboard.press('Enter');
		await accepted;
	}

	/** Waits until a message is shown. */
	async shows(text: string): Promise<void> {
		await this.page.getByRole('log').getByText(text, { exact: false }).last().waitFor();
	}
}
