import type { Page } from 'playwright-core';

import { waitFor } from '../../tools/waitFor';
import type { Sandbox } from '../../sandbox';
import { clientOf } from '../../test/sandbox/support';
import { type Studio, take } from './studio';

const size = { width: 1080, height: 754 };
const [zara, daisy, arthur, ines] = [
	'+447700900408',
	'+447700900144',
	'+447700900551',
	'+33639980868',
];

/** The phone: some chats, one of them open. */
export async function takePhone({ editor, sandbox }: Studio): Promise<void> {
	sandbox.reset();
	await fill(sandbox);
	const page = await openPhone({ editor, sandbox }, zara, size);
	await page.getByText('See you on Tuesday').first().waitFor();
	await page.evaluate('document.activeElement.blur()');
	await take(page, 'phone', { x: 0, y: 0, ...size });
	await page.close();
}

/** A chat on the phone, once the page is live. @param window its size, CSS pixels */
export async function openPhone(
	{ editor, sandbox }: Pick<Studio, 'editor' | 'sandbox'>,
	customer: string,
	window: typeof size,
): Promise<Page> {
	const page = await editor.openTab('about:blank');
	// First of all: in a wide window the page opens the list of deliveries, too.
	await page.setViewportSize(window);
	await page.goto(`${sandbox.url}/#${customer}`);
	await page.getByText('Live', { exact: true }).waitFor();
	return page;
}

const body = (...values: string[]) => [
	{ type: 'body', parameters: values.map((text) => ({ type: 'text', text })) },
];

async function fill({ url, key, state }: Sandbox): Promise<void> {
	const api = clientOf(`${url}/v1`, key);
	const send = async (path: string, message: object) => {
		const { status, data } = await api.post<unknown>(`/messages/${path}`, message);
		if (status >= 300) throw new Error(`${path}: ${JSON.stringify(data)}`);
	};
	const template = async (to: string, name: string, components: object[], more: object = {}) =>
		await send('template', { to, template: name, language: 'en_US', components, ...more });
	await template(ines, 'spring_sale', body('Inès'));
	const order = { type: 'text', text: 'A-4711' };
	await template(arthur, 'order_update', [
		{ type: 'header', parameters: [order] },
		...body('Arthur', 'Friday'),
		{ type: 'button', parameters: [order] },
	]);
	await template(daisy, 'appointment_reminder', body('Daisy', 'Tuesday', '11:30'));
	state.traffic.receive({ from: daisy, text: 'Could we make it Wednesday?' });
	await template(zara, 'welcome', body('Zara', 'the Example Shop'), {
		headerDocumentUrl: 'https://example.com/brochure.pdf',
	});
	await template(zara, 'appointment_reminder', body('Zara', 'Tuesday', '10:00'));
	state.traffic.receive({ from: zara, text: 'Confirm' });
	await send('send', { to: zara, text: 'See you on Tuesday, Zara!' });
	const outbound = () => state.messages.all.filter(({ direction }) => direction === 'outbound');
	await waitFor(async () => outbound().every(({ status }) => status === 'read'), {
		what: 'the messages to be read',
		limit: 30_000,
	});
}
