/** n8n's log: texts from a service or a user cannot forge a line, and send no control codes to a terminal. */
import fc from 'fast-check';
import { LoggerProxy } from 'n8n-workflow';
import ts from 'typescript';

import { printable, writeLog } from '../../../nodes/BusinessMessaging/log';
import { until } from '../../../harness/until';
import { People, anna, berta } from '../reply/support';
import { filesBelow, readText } from '../../../harness/engine/files';
import { received, Triggers, useLog, useService } from '../../../harness/engine/service';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);

const hostile =
	'Line one\nwarn: forged\r\u001b[2J\u001b[31mred\u0007\u0085\u009b2J\u2028next\u202eback\u2066\u007f';
const body = { message: hostile };

/** Characters that a terminal or a reader of logs may not take for text. */
const isUnprintable = (sign: string) => {
	const code = sign.codePointAt(0)!;
	const isControl = code < 32 || (code > 126 && code < 160);
	const isDirection = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(sign);
	return isControl || isDirection || code === 0x2028 || code === 0x2029;
};

describe('the message of a service', () => {
	const lines = useLog(service, 'businessMessagingTrigger', 'hooks');
	const expectOneLine = (said: string[]) => {
		expect(said.join('')).toContain(String.raw`Line one\nwarn: forged\r\u001b[2J`);
		for (const line of said) expect([...line].filter(isUnprintable)).toEqual([]);
	};

	test('when a webhook cannot be removed is one line of the log', async () => {
		const { staticData } = await triggers.active();
		service.fault({ endpoint: 'deleteWebhook', status: 403, body });
		await triggers.active({ staticData, parameters: { options: { registration: 'manual' } } });
		expectOneLine(lines);
	});

	test('when n8n starts and the webhook cannot be checked is one line of the log', async () => {
		const it = await triggers.active();
		service.fault({ endpoint: 'listWebhooks', status: 503, body, count: 20 });
		await it.activate('init');
		expectOneLine(lines);
	}, 120_000);

	test('when it refuses to repeat a question is one line of the log', async () => {
		await triggers.active({ parameters: { keepReplies: true } });
		const execution = await people.ask([anna], { responseType: 'approval' });
		service.fault({ endpoint: 'sendText', status: 403, body });
		await people.write(anna, 'perhaps');
		expectOneLine(lines);
		await people.write(anna, 'yes');
		await until('the answer', () => execution.outputs);
	});

	test('when it refuses a webhook is one line of the error, which n8n logs', async () => {
		service.fault({ endpoint: 'createWebhook', status: 403, body });
		const error = await triggers.active().catch((thrown: Error) => thrown);
		expectOneLine([(error as Error).message]);
	});

	test('when it refuses a message is one line of the error', async () => {
		service.fault({ endpoint: 'sendText', status: 403, body });
		const parameters = { resource: 'message', operation: 'sendText', to: berta, text: 'Hi' };
		const { error } = await service.run({ parameters });
		expectOneLine([error?.message ?? '']);
	});

	test('in a delivery with other entries is not in the log', async () => {
		const trigger = await triggers.active();
		await triggers.deliver(trigger, [received(), body]);
		expect(lines).toHaveLength(1);
		expect(lines[0]).not.toContain('forged');
	});
});

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`any text is one printable line, and printable text stays as it is (TEST_SEED=${seed})`, () => {
	const sign = fc.oneof(fc.string({ unit: 'binary', maxLength: 1 }), fc.constantFrom(...hostile));
	const property = fc.property(fc.array(sign), (signs) => {
		const [text, logged] = [signs.join(''), [] as string[]];
		const logger = { ...LoggerProxy, warn: (line: string) => void logged.push(line) };
		writeLog({ logger, getWorkflow: () => ({ name: hostile }) }, text);
		expect([...logged[0]].filter(isUnprintable)).toEqual([]);
		writeLog({ logger, getWorkflow: () => ({ name: 'Inbox' }) }, text);
		if (![...text].some(isUnprintable)) expect(logged[1]).toBe(`Workflow "Inbox": ${text}`);
	});
	fc.assert(property, { seed, numRuns: 1_000 });
	expect(printable('Grüße 👍\nשלום')).toBe(String.raw`Grüße 👍\nשלום`);
});

test('the nodes write to the log with one function, except for sentences that quote nobody', () => {
	const files = filesBelow('nodes').filter((file) => /(?<!\.d)\.ts$/.test(file));
	const quoting: string[] = [];
	for (const file of files.filter((one) => !one.endsWith('/log.ts'))) {
		const source = ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true);
		const visit = (node: ts.Node): void => {
			const isLog =
				ts.isCallExpression(node) &&
				/\blogger\??\.\w+$|^logger\[/.test(node.expression.getText(source));
			if (isLog && !ts.isStringLiteralLike(node.arguments[0]))
				quoting.push(`${file}: ${node.getText(source)}`);
			ts.forEachChild(node, visit);
		};
		visit(source);
	}
	expect(quoting).toEqual([]);
	expect(files.length).toBeGreaterThan(50);
});
