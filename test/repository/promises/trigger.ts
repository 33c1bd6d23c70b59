/** Sentences of docs/trigger.md and docs/trigger-guarantees.md, with what fails when they are false. */
import type { Promises } from './types';

export const trigger: Promises = {
	'docs/trigger.md': [
		{
			sentence: 'a call without this secret gets 401 and starts nothing',
			provedBy: [
				'engine/trigger/deliveries.test.ts: answers a call %s with 401 and starts nothing',
			],
		},
		{
			sentence:
				'The production URL and the test URL have different secrets. When a new secret is registered, the one before is removed at the service, and is no longer valid.',
			provedBy: [
				'engine/trigger/lostSecret.test.ts: a list from before the secret was changed does not count',
				'engine/trigger/lifecycle.test.ts: of a test is separate',
				"engine/trigger/lifecycle.test.ts: changes when n8n's address has changed",
			],
		},
		{
			sentence:
				'If you enter any other text, you cannot publish the workflow, and the trigger accepts no events.',
			provedBy: [
				'engine/trigger/signatures.test.ts: cannot be published with the secret %j',
				'engine/trigger/signatures.test.ts: after the secret was changed to %j, no delivery is accepted that is signed with the bytes that Node.js decodes from this text',
			],
		},
		{
			sentence:
				'The trigger accepts a timestamp that differs from the current time by at most five minutes. Bodies over 1 MB are refused',
			provedBy: [
				'engine/trigger/signatures.test.ts: accepts %s, and nothing that was changed after signing',
				'engine/trigger/signatures.test.ts: with a limit of 10 KB, responds with %d to %d characters',
			],
		},
		{
			sentence:
				'`from` and `to` are phone numbers with `+` and country code, even if the service leaves out the `+`.',
			provedBy: ['engine/trigger/deliveries.test.ts: simplifies %s with %j to %j'],
		},
		{
			sentence:
				'A message that is only a word such as STOP, in any of 36 languages, also has `intent: "optOut"`',
			provedBy: [
				'engine/webhooks/texts.test.ts: in %s, %s opts out and %s opts in',
				'engine/webhooks/texts.test.ts: reads as %s: %s',
				'engine/webhooks/texts.test.ts: emoji %s do not matter: %s',
			],
		},
		{
			sentence:
				'Deliveries with a list of events, or with a content type other than `application/json`, always pass',
			provedBy: [
				'engine/trigger/filters.test.ts: a delivery passes Only Run If if its body is not one event that n8n has parsed',
			],
		},
		{
			sentence:
				'at the latest 8 seconds after the first message. Each person has a separate group.',
			provedBy: [
				'engine/trigger/collect.test.ts: a person who never stops writing starts an execution after eight seconds',
				'engine/trigger/collect.test.ts: starts one execution for each of 50 people who write three messages at once',
			],
		},
		{
			sentence:
				'It starts after 20 receipts, or when no receipt has arrived for 100 ms, but at the latest 3 seconds after the first receipt.',
			provedBy: [
				'engine/trigger/collect.test.ts: twenty receipts start an execution at once',
				'engine/trigger/collect.test.ts: receipts that never stop start an execution after three seconds',
			],
		},
	],
	'docs/trigger-guarantees.md': [
		{
			sentence: 'A correct registration is kept, and surplus registrations are removed',
			provedBy: ['engine/trigger/lifecycle.test.ts: is kept if it is correct'],
		},
		{
			sentence: 'If you change only other nodes, n8n 2.41 leaves the registration as it is',
			provedBy: ['n8n/e2e/trigger.test.ts: not by publishing a change of another node'],
		},
		{
			sentence:
				'the workflow is not published, and the error shows the response of the service. The other chosen event types are not registered either',
			provedBy: [
				'engine/trigger/lifecycle.test.ts: stays if the service refuses "%s…"',
				'engine/transport/registerWebhook.test.ts: a refusal of the events is shown, and nothing is registered for others: %s',
			],
		},
		{
			sentence:
				'The registration is removed when you next publish or unpublish the workflow. Until then, its deliveries start nothing',
			provedBy: ['engine/trigger/lifecycle.test.ts: is removed later if the deactivation failed'],
		},
		{
			sentence: 'When the service works again, publish the workflow again.',
			provedBy: [
				'engine/trigger/lifecycle.test.ts: is made when a changed trigger is published again after the service %s',
				'n8n/e2e/trigger.test.ts: is registered by publishing again',
			],
		},
		{
			sentence:
				'To restore it at once, unpublish the workflow and publish it again. To publish alone is not enough',
			provedBy: [
				'n8n/e2e/trigger.test.ts: is restored by unpublishing and publishing, but not by publishing a change of another node',
			],
		},
		{
			sentence: 'the copy has another URL and registration; the original keeps its own',
			provedBy: ['engine/trigger/lifecycle.test.ts: of a copy of the workflow is separate'],
		},
		{
			sentence: 'nothing is registered, and the error says what to do',
			provedBy: ['engine/trigger/addresses.test.ts: that the service cannot reach: %s'],
		},
		{
			sentence: 'The node changes or removes only registrations with exactly its own URL.',
			provedBy: [
				'engine/trigger/lifecycle.test.ts: does not affect registrations whose URL only begins with the same text',
				'engine/webhooks/ownUrls.test.ts: belongs to somebody else with %s',
			],
		},
		{
			sentence: 'The trigger responds to a duplicate event with 200 and starts nothing.',
			provedBy: [
				'engine/trigger/duplicates.test.ts: starts one execution for an event that comes ten times at the same moment',
			],
		},
		{
			sentence: 'never: each delivery is a new event',
			provedBy: [
				'engine/webhooks/deduplicationKey.test.ts: treats every delivery of %s as a new event',
			],
		},
		{
			sentence: 'Events are remembered for two days.',
			provedBy: ['engine/trigger/duplicates.test.ts: recognizes an event for two days'],
		},
		{
			sentence:
				"one execution, if the event is at most two days old and among the trigger's last 20,000 (after a restart the last 5,000, possibly without the newest)",
			provedBy: [
				'engine/trigger/duplicates.test.ts: stores the last 5,000',
				'engine/trigger/duplicates.test.ts: recognizes the last 20,000 until n8n restarts',
			],
		},
		{
			sentence: 'the response is 500, and the service delivers the event again',
			provedBy: [
				'engine/trigger/duplicates.test.ts: a duplicate waits for the first delivery, and starts the execution if the first one could not',
			],
		},
		{
			sentence: 'It may start two executions, because n8n stores the execution first',
			provedBy: [
				'n8n/e2e/trigger.test.ts: each starts an execution, only those under way may start two, and what comes again is known',
			],
		},
		{
			sentence: 'To prevent it, put a proxy before n8n that forwards only while n8n is ready',
			provedBy: [
				'repository/publishing.test.ts: forwards no delivery to an n8n that is still starting',
			],
		},
		{
			sentence:
				'n8n responds with 200 only when it has stored the execution. Without this 200, the service delivers the events again. Nothing is lost.',
			provedBy: [
				'engine/trigger/collect.test.ts: has all events delivered again if n8n could not start the execution, with %j',
				'n8n/e2e/trigger.test.ts: n8n is killed while messages arrive, in groups too, and receipts in batches',
			],
		},
	],
};
