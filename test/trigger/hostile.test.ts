/** Bodies and callers that mean no good: none starts an execution, none makes the node fail, none keeps it busy. */
import { chunk, uniq } from 'lodash';

import {
	attacks,
	evilPattern,
	honestBody,
	replayed,
	slowOnes,
	slowest,
	timed,
} from '../support/hostile';
import type { Attack, Deliver } from '../support/hostile';
import { useService } from '../support/service';
import { Triggers } from './support';

const service = useService();
const triggers = new Triggers(service);

const count = 10_000;
const atOnce = 20;
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`${count} hostile deliveries (TEST_SEED=${seed})`, async () => {
	const trigger = await triggers.active({ parameters: { filters: { textMatches: evilPattern } } });
	const url = triggers.urlOf(trigger);
	const deliver: Deliver = async (body, headers = {}, urlOf = (registered) => registered) =>
		(await triggers.deliver(trigger, body, headers, urlOf(url))).status;
	expect(await deliver(replayed)).toBe(200);

	const measured: Array<{ attack: Attack; ms: number; status: number }> = [];
	const attack = async (one: Attack) => {
		const { result: status, ms } = await timed(
			async () => await deliver(one.body, one.headers, one.urlOf),
		);
		measured.push({ attack: one, ms, status });
	};
	for (const some of chunk(attacks(count, seed), atOnce)) await Promise.all(some.map(attack));
	expect(measured).toHaveLength(count);
	expect(trigger.executions).toHaveLength(1);
	expect(uniq(measured.map(({ status }) => status)).sort()).toEqual([200, 400, 401, 413, 422]);

	let honest = 0;
	const slow = await slowOnes(slowest(measured, 5), deliver, (size) =>
		honestBody(`honest ${++honest}`, size),
	);
	expect(slow).toEqual([]);
	expect(trigger.executions).toHaveLength(1 + honest);
}, 600_000);
