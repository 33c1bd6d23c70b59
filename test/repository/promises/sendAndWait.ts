/** Sentences of docs/send-and-wait.md, with what fails when they are false. */
import type { Promises } from './types';

export const sendAndWait: Promises = {
	'docs/send-and-wait.md': [
		{
			sentence: 'These replies start no other workflow.',
			provedBy: [
				'engine/reply/inbox.test.ts: a reply is output once and starts no workflow, with several triggers, one of them registered by hand; with or without an ID',
			],
		},
		{
			sentence: 'No inbox is published | Nobody can be asked',
			provedBy: [
				'engine/reply/asking.test.ts: asks nobody without an inbox, and says what to do',
				'n8n/e2e/reply.test.ts: without a trigger that keeps the replies, nobody is asked',
			],
		},
		{
			sentence: 'You publish a second inbox | It cannot be published',
			provedBy: [
				'engine/reply/asking.test.ts: a second inbox cannot be published; if there is one, nobody is asked',
				'n8n/e2e/reply.test.ts: a second trigger that keeps the replies cannot be published',
			],
		},
		{
			sentence: "All other messages start the inbox's own workflow",
			provedBy: [
				"engine/reply/inbox.test.ts: several people's replies are output in the order of the items, start no workflow and need no further webhook",
				'n8n/e2e/reply.test.ts: every reply arrives once, nobody is asked twice, nothing else counts as a reply',
			],
		},
		{
			sentence:
				'each input item has one output item. Both have the same order, and n8n pairs them.',
			provedBy: [
				"engine/reply/inbox.test.ts: several people's replies are output in the order of the items, start no workflow and need no further webhook",
			],
		},
		{
			sentence: '`true` only after a yes',
			provedBy: [
				'engine/reply/answering.test.ts: continues when the time is up: %j outputs %j',
				'engine/reply/approval.test.ts: any other word next to a yes or a no makes the answer unclear',
			],
		},
		{
			sentence:
				'only if `text` was cut: after 4,000 characters; if more than 750 people are asked, earlier, so that all replies together have at most 3 million',
			provedBy: [
				"engine/reply/inbox.test.ts: several people's replies are output in the order of the items, start no workflow and need no further webhook",
				'unit/inbox/size.test.ts: the replies of %d people who write %j as often as they can fit',
			],
		},
		{
			sentence: 'repeated, by default up to two times',
			provedBy: [
				'engine/operations/inputs.test.ts: ask by default for a free text within a day, with two repetitions',
				'engine/reply/inbox.test.ts: %d repetitions of the question go to each person',
			],
		},
		{
			sentence:
				'But the reply must contain nothing else: after "yes?" or "yes, but not today", the question is repeated. For *Number*, it is also repeated after the reply "1,234", because this can mean 1.234 or 1234.',
			provedBy: ['engine/webhooks/texts.test.ts: %s: %j gives %j'],
		},
		{
			sentence:
				'It is the reply. It also starts the workflow of each trigger, so that the opt-out is recorded',
			provedBy: [
				'engine/reply/inbox.test.ts: a word such as STOP starts the workflows that record it, unless it is an expected answer, and the question is not repeated',
			],
		},
		{
			sentence: 'or after 50 messages',
			provedBy: ['engine/reply/inbox.test.ts: a reply has at most 50 grouped messages'],
		},
		{
			sentence:
				'If an expression gives the items different wait times, the longest one counts for everybody.',
			provedBy: [
				'unit/inbox/questionRun.test.ts: questions that differ only in their time limits are the same question',
			],
		},
		{
			sentence: 'When the time is up, the run continues with the replies so far.',
			provedBy: ['engine/reply/inbox.test.ts: the replies so far are output when the time is up'],
		},
		{
			sentence:
				'A reply that cannot reach its run any more is **late**: it starts the workflow of the inbox with `late: true`',
			provedBy: [
				'engine/reply/requests.test.ts: replies that can no longer reach their run start the workflow, marked as late',
				'unit/simulation/inbox.test.ts: no schedule breaks an invariant, except where the documentation says so',
			],
		},
		{
			sentence:
				'the first reply counts for the newer question, and the next reply for the older one',
			provedBy: [
				'engine/reply/inbox.test.ts: if a person was asked two questions, the later one gets the first reply',
				'engine/reply/everyday.test.ts: a reply answers one question, also if the inbox is unpublished and published between two questions',
			],
		},
		{
			sentence:
				'When n8n starts, the inbox becomes active. It passes the replies to the runs that wait, ends runs whose time is up, and registers itself again',
			provedBy: [
				'engine/reply/everyday.test.ts: after a restart without any message, the inbox gives runs their replies',
				'n8n/e2e/reply.test.ts: when n8n starts, the inbox wakes without any message',
			],
		},
		{
			sentence: 'n8n stores each reply before it responds with 200.',
			provedBy: [
				'engine/reply/inbox.test.ts: replies that arrive at the same moment are all stored before the service gets its responses',
				'n8n/e2e/reply.test.ts: n8n is killed at five moments of five runs: every reply arrives once, nobody is asked twice',
			],
		},
		{
			sentence:
				'even replies that arrived before count as late. New messages start workflows as usual',
			provedBy: [
				'engine/reply/inbox.test.ts: a message to a run that the user has stopped is an ordinary message',
				'unit/simulation/inbox.test.ts: a user stops a run: its replies so far start the workflow',
			],
		},
		{
			sentence: 'after two minutes, its run counts as ended',
			provedBy: [
				'unit/simulation/inbox.test.ts: messages to a run whose worker was killed start the workflow',
				'n8n/queue/replies.ts: the worker that asks is killed',
			],
		},
		{
			sentence:
				'**The service refuses the repeated question**: the node outputs the reply, with `valid: false`.',
			provedBy: [
				'engine/reply/requests.test.ts: a reply that does not fit is not valid if the service certainly refuses to repeat the question',
			],
		},
		{
			sentence:
				'After ten minutes, every message, even a reply, starts the workflows of these triggers.',
			provedBy: [
				'engine/reply/everyday.test.ts: while the inbox is not published, other triggers wait for it; after ten minutes, messages are ordinary, and the log says so',
			],
		},
		{
			sentence: 'Open questions cannot be read any more, and replies to them start workflows | log',
			provedBy: [
				'engine/reply/requests.test.ts: the log says if questions were stored with another key and cannot be read',
				'engine/reply/requests.test.ts: replies still reach the run if the API key is changed while a question is open',
			],
		},
		{
			sentence: 'A run asks up to 10,000 people, and up to 50,000 questions can be open.',
			provedBy: [
				'engine/reply/asking.test.ts: refuses to ask more than 10,000 people',
				'engine/reply/requests.test.ts: a trigger waits for at most 50,000 people',
			],
		},
		{
			sentence:
				'A person needs about 50 bytes in a large run, and up to 300 bytes in a run that asks only one person.',
			provedBy: [
				'engine/reply/requests.test.ts: what is stored for one open question has at most 300 bytes',
			],
		},
		{
			sentence: 'with 1,000 simulated people who all reply at once',
			provedBy: ['n8n/e2e/examples.test.ts: survey: many people answer at once'],
		},
	],
};
