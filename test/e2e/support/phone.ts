/** The phone's page in Chromium, and something for it to show. */
import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';

import type { Sandbox } from '../../../sandbox';
import { clientOf } from '../../sandbox/support';

/** Customers of {@link fillPhone}. */
export const people = {
	ada: '+15552000001',
	grace: '+15552000002',
	alan: '+15552000003',
	nameless: '+491701234567',
	/** Whose messages fail. */
	edsger: '+15550009999',
};

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
export async function fillPhone({ url, key, state }: Sandbox): Promise<void> {
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
export async function violationsOf(page: Page): Promise<string[]> {
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
