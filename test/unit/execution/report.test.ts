/** What n8n shows about a run that sends messages: labels, figures, the lines of its log, the total and the hints. */
import { range } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import { type Item, type Outcome, skip } from '../../../nodes/BusinessMessaging/execution/item';
import {
	addHints,
	labelExecution,
	logProgress,
	reportFigures,
	resetFigures,
} from '../../../nodes/BusinessMessaging/execution/report';
import { sendText } from '../../../nodes/BusinessMessaging/operations/message/sendText';
import { ServiceError } from '../../../nodes/BusinessMessaging/transport/errors';

const operation = sendText;
const noMessage = { ...operation, recipientOf: undefined };

/** An execution as n8n gives it to a node; `values` is what n8n stores with the execution. */
class Execution {
	id = '1';
	values: Record<string, string> = {};
	readonly hints: string[] = [];
	readonly lines: string[] = [];
	tracing: unknown;
	onError = 'stopWorkflow';
	private readonly contexts: Record<string, object> = { node: {}, flow: {} };

	get context() {
		const info = (line: string) => void this.lines.push(line);
		return {
			customData: {
				get: (key: string) => this.values[key],
				set: (key: string, value: string) => void (this.values[key] = value),
			},
			getContext: (type: string) => this.contexts[type],
			getExecutionId: () => this.id,
			getNode: () => ({ name: 'Send', onError: this.onError }),
			continueOnFail: () => this.onError !== 'stopWorkflow',
			getWorkflow: () => ({ name: 'Sale' }),
			setMetadata: ({ tracing }: { tracing: unknown }) => void (this.tracing = tracing),
			addExecutionHints: ({ message, type }: { message: string; type: string }) =>
				void this.hints.push(`${type}: ${message}`),
			logger: { info, warn: info },
		} as unknown as IExecuteFunctions;
	}
}

const item = (to: string, campaign?: string) => {
	const request = { body: { to }, rules: campaign ? { campaign: { name: campaign } } : undefined };
	return { index: 0, input: {}, request, hasBegun: true } as unknown as Item & { request: object };
};
const done: Outcome = { records: [{}] };
const failure = (kind: 'refused' | 'uncertain'): Outcome => ({
	failure: new ServiceError('No', { kind }),
});
const withOutcome = (outcome?: Outcome, more: Partial<Item> = {}): Item => ({
	...item('+1'),
	outcome,
	...more,
});
const leftOut = (reason: Parameters<typeof skip>[1] = 'excluded') =>
	withOutcome(skip(item('+1'), reason));

describe('the labels of an execution', () => {
	const labels = (execution: Execution, ...items: Item[]) => {
		labelExecution(execution.context, operation, items as never);
		return execution.values;
	};

	test('are the recipient and the campaign, if there is only one of each', () => {
		expect(labels(new Execution(), item('+1', 'May'))).toEqual({ phone: '+1', campaign: 'May' });
		expect(labels(new Execution(), item('+1', 'May'), item('+2', 'May'))).toEqual({
			campaign: 'May',
		});
		expect(labels(new Execution(), item('+1'), item('+1', 'May'))).toEqual({
			...{ phone: '+1', campaign: 'May' },
		});
		expect(labels(new Execution())).toEqual({});
	});

	test('of a loop are those of all rounds, each once, as far as they are short enough', () => {
		const execution = new Execution();
		for (const to of ['+12', '+1', '+12', '+2']) labels(execution, item(to));
		expect(execution.values).toEqual({ phone: '+12, +1, +2' });
		execution.values.phone = 'x'.repeat(250);
		expect(labels(execution, item('+123')).phone).toHaveLength(250); // 255 is the most
		expect(labels(execution, item('+12')).phone).toHaveLength(255);
	});

	test('are given only to messages', () => {
		const execution = new Execution();
		labelExecution(execution.context, noMessage, [item('+1')] as never);
		expect(execution.values).toEqual({});
	});
});

describe('the figures', () => {
	const items = () => [
		withOutcome(done),
		withOutcome(done, { hasBegun: false }), // in an earlier attempt
		withOutcome(failure('refused')),
		withOutcome(failure('uncertain')),
		withOutcome(failure('uncertain'), { hasBegun: false }),
		withOutcome(undefined),
		withOutcome(undefined, { hasBegun: false }),
		leftOut(),
	];
	const expected = { sent: 1, skipped: 1, failed: 1, uncertain: 2, tooManyRequests: 3 };
	const client = { tooManyRequests: 3 } as never;
	const texts = (figures: object) =>
		Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, String(value)]));

	test('count each item of this attempt once', () => {
		const execution = new Execution();
		reportFigures(execution.context, operation, items(), { client });
		expect(execution.values).toEqual(texts(expected));
		expect(execution.tracing).toEqual(expected);
	});

	test('of several runs are added; what a repeated run has left out or not sent counts once', () => {
		const execution = new Execution();
		const report = (name: string) =>
			reportFigures(execution.context, operation, items(), { record: { name } as never });
		for (const name of ['0', '0', '1']) report(name);
		expect(execution.values).toEqual({ sent: '3', skipped: '2', failed: '2', uncertain: '6' });
	});

	test("leave the user's own values as they are, and are no zeros that nobody needs", () => {
		const execution = new Execution();
		execution.values = { sent: 'by Anna', failed: '0' };
		reportFigures(execution.context, operation, [withOutcome(done)], {});
		expect(execution.values).toEqual({ sent: 'by Anna', failed: '0' });
	});

	test('of an execution are not those of the one that it retries', () => {
		const execution = new Execution();
		resetFigures(execution.context);
		reportFigures(execution.context, operation, [withOutcome(done)], {});
		resetFigures(execution.context);
		expect(execution.values).toEqual({ sent: '1' });
		Object.assign(execution, { id: '2', values: { ...execution.values, failed: 'by hand' } });
		resetFigures(execution.context);
		resetFigures(execution.context);
		expect(execution.values).toEqual({ sent: '0', failed: 'by hand' });
		reportFigures(execution.context, operation, [withOutcome(done)], {});
		resetFigures(execution.context);
		expect(execution.values.sent).toBe('1');
	});

	test('name the campaign if there is only one, and are only about messages', () => {
		const execution = new Execution();
		reportFigures(execution.context, operation, [item('+1', 'May'), item('+2', 'May')], {});
		expect(execution.tracing).toMatchObject({ campaign: 'May' });
		reportFigures(execution.context, operation, [item('+1', 'May'), item('+2', 'June')], {});
		expect(execution.tracing).not.toHaveProperty('campaign');
		const other = new Execution();
		reportFigures(other.context, noMessage, items(), { client });
		expect([other.values, other.tracing]).toEqual([{}, undefined]);
	});
});

test.each([
	[99, []],
	[100, [100]],
	[250, [100, 200, 250]],
	[4_000, range(200, 4_001, 200)],
])('of %d messages, the log shows the progress after %j', (total, expected) => {
	let now = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	const execution = new Execution();
	const note = logProgress(execution.context, total);
	for (const n of range(total)) {
		now += 1_001;
		note(n % 4 === 0 ? failure('refused') : n % 4 === 1 ? leftOut().outcome! : done);
	}
	const run = 'Workflow "Sale", execution 1, node "Send": ';
	const parts = (count: number) => `(${Math.ceil(count / 4)} failed, ${Math.ceil((count - 1) / 4)}`;
	expect(execution.lines).toEqual(
		expected.map((count) => {
			const seconds = (total - count) * 1.001;
			const about = seconds < 60 ? 'less than 1' : `about ${Math.ceil(seconds / 60)}`;
			const left = count === total ? '' : `, ${about} min left`;
			return `${run}${count} of ${total} messages ${parts(count)} skipped)${left}`;
		}),
	);
});

describe('the line above the output', () => {
	const shown = (items: Item[], more: object = {}, settings: Partial<Execution> = {}) => {
		const execution = Object.assign(new Execution(), settings);
		addHints(execution.context, operation, items, more);
		return execution.hints;
	};

	test('has the total of all results', () => {
		const reasons = ['duplicate', 'duplicate', 'excluded', 'notInTest'] as const;
		const items = [withOutcome(done), withOutcome(failure('refused')), ...reasons.map(leftOut)];
		const [total] = shown([...items, withOutcome(failure('uncertain'))]);
		expect(total).toBe(
			'info: 1 sent, 2 duplicates, 1 excluded, 1 not in the test, 1 may have been sent, 1 not sent (see reason).',
		);
		expect(shown(items, {}, { onError: 'continueErrorOutput' })[0]).toContain('the error output');
		expect(shown([leftOut('duplicate'), leftOut()])).toEqual([
			'info: 0 sent, 1 duplicate, 1 excluded.',
		]);
	});

	test('says a reason once that all items have', () => {
		const all = [withOutcome(failure('refused')), withOutcome(failure('refused'))];
		const once = 'All for the same reason: No.';
		expect(shown(all)[0]).toBe(`info: 0 sent, 2 not sent (see reason). ${once}`);
		for (const other of [
			withOutcome(done),
			withOutcome(failure('uncertain')),
			withOutcome({ failure: new ServiceError('Full', { kind: 'refused' }) }),
		])
			expect(shown([...all, other])[0]).not.toContain('the same reason');
	});

	test('is followed in a preview by a warning if items fail, unless the node goes on', () => {
		const items = [withOutcome(done), withOutcome(failure('refused'))];
		const warnings = (onError: string) =>
			shown(items, { isPreview: true }, { onError }).filter((line) => line.startsWith('warning'));
		expect(warnings('stopWorkflow')).toEqual([
			expect.stringContaining('no message is sent at all'),
		]);
		expect(warnings('continueRegularOutput')).toEqual([]);
	});

	test('is there for one message only in a preview', () => {
		expect(shown([withOutcome(done)])).toEqual([]);
		expect(shown([withOutcome(done)], { isPreview: true })).toEqual([
			'info: Preview: nothing was sent. 1 would be sent.',
		]);
	});

	test.each([
		[10, []],
		[11, ['warning: 1 more hint is not shown.']],
		[13, ['warning: 3 more hints are not shown.']],
	])('is followed by at most ten of %d hints', (count, more) => {
		const hints = range(count - 1).map(String);
		const it = { ...withOutcome(done), request: { hints: [...hints, '0'] } } as unknown as Item;
		expect(shown([it], { warnings: ['W'] })).toEqual([
			...['W', ...hints].slice(0, 10).map((hint) => `warning: ${hint}`),
			...more,
		]);
	});
});
