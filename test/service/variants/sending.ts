/** What must hold for a campaign whatever a service says yes and no with: an item counts as sent if, and only if, the service has the message. */
import { countBy, map } from 'lodash';

import type { VariantEnvironment } from './variantEnvironment';

const people = ['+15550005001', '+15550005002', '+15550005003', '+15550005004', '+15550005005'];
const parameters = {
	...{ resource: 'message', operation: 'sendText', to: '={{ $json.to }}', text: 'Sale' },
	...{ sendOnce: true, campaign: 'spring' },
};

/** Sends a campaign during which the credit runs out, and again afterwards. */
export async function checkSending(environment: VariantEnvironment): Promise<void> {
	const { state, engine } = environment;
	engine.tables.reset();
	const before = state.messages.all.length;
	const arrived = () => map(state.messages.all.slice(before), 'phone');
	const send = async () => {
		const items = people.map((to) => ({ to }));
		const options = { items, onError: 'continueRegularOutput', workflowId: 'campaign' } as const;
		const { outputs } = await environment.run(
			{ ...parameters, options: { concurrency: 1 } },
			options,
		);
		return outputs[0].map(({ json }) => [json.to, json.sendStatus]);
	};
	const statuses = (of: string[], status: string) => of.map((to) => [to, status]);

	state.faults.add({ endpoint: 'sendText', status: 402, skip: 2, count: 99 });
	const first = await send();
	expect(arrived()).toEqual(people.slice(0, 2));
	expect(first).toEqual([
		...statuses(people.slice(0, 2), 'sent'),
		...statuses(people.slice(2), 'notSent'),
	]);

	state.faults.remove();
	expect(await send()).toEqual([
		...statuses(people.slice(0, 2), 'skipped'),
		...statuses(people.slice(2), 'sent'),
	]);
	expect(countBy(arrived())).toEqual(Object.fromEntries(people.map((to) => [to, 1])));
}
