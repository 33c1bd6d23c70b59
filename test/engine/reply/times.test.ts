/** Which messages were written after the question, by the clock of the service, and so are replies. */
import { received, Triggers, useLog, useService } from '../../../harness/engine/service';
import { People, anna, jsonOf, startedBy } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const logged = useLog(service, 'businessMessaging', 'execute');
let count = 0;

/** Asks a question that the service answers with this record, and tells what becomes of messages with these times. */
async function ask(question: object, clockMs = 0) {
	const trigger = await triggers.active({
		webhookId: `times-${++count}`,
		parameters: { keepReplies: true },
	});
	const date = new Date(Date.now() + clockMs).toUTCString();
	service.fault({ endpoint: 'listWebhooks', headers: { date }, count: 9 });
	const body = { success: true, data: { id: 'question', ...question } };
	service.fault({ endpoint: 'sendText', status: 200, body });
	const execution = await people.ask([anna]);
	const write = async (text: string, timestamp: unknown) =>
		await triggers.deliver(trigger, received({ id: text, from: anna, text, timestamp }));
	return { trigger, execution, write };
}

const now = new Date().toISOString();
const asked = '2030-05-05T10:20:30Z';

test.each([
	['dates', now, '2001-01-01T00:00:00Z', now],
	['Unix times', 2_000_000_000, 1_999_999_998, 2_000_000_000],
	['times in whole minutes', asked, '2030-05-05T10:19:00Z', '2030-05-05T10:20:00Z'],
	['whole days', asked, '2030-05-04', '2030-05-05'],
])(
	'with %s, a message from before the question is an ordinary message, and one from the same time is the reply',
	async (_, timestamp, before, same) => {
		const { trigger, execution, write } = await ask({ timestamp });
		await write('Hi', before);
		expect(startedBy(trigger)).toEqual(['Hi']);
		expect(execution.outputs).toBeUndefined();
		await write('Now', same);
		expect(await jsonOf(execution)).toMatchObject([{ text: 'Now' }]);
	},
);

test.each([-600_000, -5_000, 5_000, 600_000])(
	'if the clock of the service differs by %d ms, and it shows no time for the question, its clock counts',
	async (clockMs) => {
		const { trigger, execution, write } = await ask({}, clockMs);
		const at = (ms: number) => new Date(Date.now() + clockMs + ms).toISOString();
		await write('Hi', at(-60_000));
		expect(startedBy(trigger)).toEqual(['Hi']);
		await write('Now', at(1_500));
		expect(await jsonOf(execution)).toMatchObject([{ text: 'Now' }]);
	},
);

test.each([
	['', 0],
	['unknown', 1],
])(
	'if the service shows the date "%s", each run says so in the log %d times',
	async (date, count) => {
		await triggers.active({ webhookId: `clock-${date}`, parameters: { keepReplies: true } });
		if (date) service.fault({ endpoint: 'listWebhooks', headers: { date }, count: 9 });
		await people.ask([anna]);
		expect(logged.filter((line) => /^info: .*does not send the time/.test(line))).toHaveLength(
			count,
		);
	},
);
