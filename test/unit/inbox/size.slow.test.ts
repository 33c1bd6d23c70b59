/** What a run gets from n8n in one request: it must fit, whatever its people have written. */
import { range } from 'lodash';

import type { Arrival, Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import { callRun } from '../../../nodes/BusinessMessaging/inbox/calls';
import { Known } from '../../../nodes/BusinessMessaging/inbox/known';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';

/** n8n's default for N8N_PAYLOAD_SIZE_MAX. */
const maxBody = 16 * 1024 * 1024;
const own = 'https://n8n.example.com/webhook/0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab/webhook';
const uuid = (n: number) => `0b1c2d3e-aaaa-4bbb-8ccc-${String(n).padStart(12, '0')}`;

function runOf(count: number): Run {
	const people = range(count).map((item): Person => {
		const to = `+4917${10_000_000 + item}`;
		const askedMessageId = `msg_${uuid(item)}`;
		const since = Date.now();
		const times = { since, toldAt: since };
		return { item, to, question: 0, ...times, askedMessageId, messages: [], misfits: [] };
	});
	return {
		...{ id: 'AAAAAAAAAAA', workflow: 'Ask', startedAt: Date.now(), heardAt: 0 },
		url: `https://n8n.example.com/webhook-waiting/1/${uuid(1)}?wait=AAAAAAAAAAA&signature=${'a'.repeat(64)}`,
		...{ until: Date.now() + 60_000, isAsked: true },
		questions: [{ ...defaultAnswer(), asked: '' }],
		people: new Map(people.map((person) => [person.item, person])),
	};
}

test.each([
	[1, 'x'],
	[1_000, 'ह'],
	[3_000, '好'],
	[10_000, 'ह'],
	[10_000, '🙏'],
	[10_000, 'é"\n'],
])('the replies of %d people who write %j as often as they can fit', async (count, sign) => {
	const known = new Known(() => {});
	const run = runOf(count);
	const text = sign.repeat(5_000);
	for (const person of run.people.values()) {
		const id = `msg_${uuid(person.item)}`;
		const phone = { phone: person.to, isCertain: true };
		const message: Arrival = {
			...{ key: `${id}-key`, text, messageId: id, respondedAt: new Date().toISOString() },
			...phone,
		};
		known.addReply({ run, person }, message, true, Date.now());
	}
	let size = 0;
	const request = async ({ body }: { body: string }) => {
		size = Buffer.byteLength(body);
		return { statusCode: 502, body: '' };
	};
	expect(await callRun({ httpRequest: request }, 'key', run, own, true)).toBe('unknown');
	expect(size).toBeLessThan(maxBody);
	const texts = [...run.people.values()].map(({ messages }) => messages[0].text?.length);
	expect(Math.min(...texts.map(Number))).toBeGreaterThanOrEqual(count > 1_000 ? 250 : 2_500);
});
