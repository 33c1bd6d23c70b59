/** Sentences about the trigger, and Send and Wait for Response. */
import { promised } from './promised';

export const receiving = [
	...promised('docs/trigger.md', '2026-11-29 622db960', {
		'A correct registration is kept, and surplus registrations are removed': [
			'engine/trigger/lifecycle.test.ts: is kept if it is correct',
		],
		'If you change only other nodes, n8n 2.41 leaves the registration as it is': [
			'n8n/e2e/trigger.test.ts: not by publishing a change of another node',
		],
		'the workflow is not published, and the error shows the response of the service. The other chosen event types are not registered either':
			[
				'engine/trigger/lifecycle.test.ts: stays if the service refuses "%s…"',
				'engine/transport/registerWebhook.test.ts: a refusal of the events is shown, and nothing is registered for others: %s',
			],
		'The registration is removed when you next publish or unpublish the workflow. Until then, its deliveries start nothing':
			['engine/trigger/lifecycle.test.ts: is removed later if the deactivation failed'],
		'When the service works again, publish the workflow again': [
			'engine/trigger/lifecycle.test.ts: is made when a changed trigger is published again after the service %s',
			'n8n/e2e/trigger.test.ts: is registered by publishing again',
		],
		'To restore it at once, unpublish the workflow and publish it again. To publish alone is not enough':
			[
				'n8n/e2e/trigger.test.ts: is restored by unpublishing and publishing, but not by publishing a change of another node',
			],
		'the copy has another URL and registration; the original keeps its own': [
			'engine/trigger/lifecycle.test.ts: of a copy of the workflow is separate',
		],
		'nothing is registered, and the error says what to do': [
			'engine/trigger/addresses.test.ts: that the service cannot reach: %s',
		],
		'nothing is lost while n8n runs: with the next event, n8n stores all that the trigger remembers.':
			[
				'unit/trigger/memory.test.ts: n8n holds what the triggers remember after their last deliveries',
				'engine/reply/stored.test.ts: takes away nothing that the inbox has stored',
			],
		'The node changes or removes only registrations with exactly its own URL.': [
			'engine/trigger/lifecycle.test.ts: does not affect registrations whose URL only begins with the same text',
			'engine/webhooks/ownUrls.test.ts: belongs to somebody else with %s',
		],
		'The trigger responds to a duplicate event with 200 and starts nothing.': [
			'engine/trigger/duplicates.test.ts: starts one execution for an event that comes ten times at the same moment',
		],
		'never: each delivery is a new event': [
			'engine/webhooks/deduplicationKey.test.ts: treats every delivery of %s as a new event',
		],
		"one execution, if the event is at most two days old and among the trigger's last 20,000 (after a restart the last 5,000, possibly without the newest)":
			[
				'engine/trigger/duplicates.test.ts: recognizes an event for two days',
				'engine/trigger/duplicates.test.ts: stores the last 5,000',
				'engine/trigger/duplicates.test.ts: recognizes the last 20,000 until n8n restarts',
				'webhooks/recentEvents: maxAgeMinutes',
				'webhooks/recentEvents: maxInProcess',
				'webhooks/recentEvents: maxStored',
			],
		'the response is 500, and the service delivers the event again': [
			'engine/trigger/duplicates.test.ts: a duplicate waits for the first delivery, and starts the execution if the first one could not',
		],
		'the service delivers it again. It may start two executions': [
			'n8n/e2e/trigger.test.ts: each starts an execution, only those under way may start two, and what comes again is known',
		],
		'To prevent it, put a proxy before n8n that forwards only while n8n is ready': [
			'repository/publishing.test.ts: forwards no delivery to an n8n that is still starting',
		],
		'n8n responds with 200 only when it has stored the execution. Without this 200, the service delivers the events again. Nothing is lost.':
			[
				'engine/trigger/collect.test.ts: has all events delivered again if n8n could not start the execution, with %j',
				'n8n/e2e/trigger.test.ts: n8n is killed while messages arrive, in groups too, and receipts in batches',
			],
		'a call without this secret gets 401 and starts nothing': [
			'engine/trigger/deliveries.test.ts: answers a call %s with 401 and starts nothing',
		],
		'The production URL and the test URL have different secrets.': [
			'engine/trigger/lifecycle.test.ts: of a test is separate',
		],
		'n8n stores only a hash of it, so it is in no export of the workflow, and it cannot be lost.': [
			'engine/trigger/urlSecret.test.ts: is not in what n8n stores, and is known however old this is',
			'unit/trigger/registrationRecord.test.ts: the secret is right if %s',
		],
		'The old secret is then removed at the service, and invalid.': [
			'engine/trigger/urlSecret.test.ts: changes with the Secret Version',
			"engine/trigger/urlSecret.test.ts: changes when n8n's address has changed",
		],
		'the registered URL stays valid until you unpublish the workflow and publish it again, or restart n8n':
			[
				'engine/trigger/urlSecret.test.ts: stays valid when the API key changes, until the trigger is published again',
			],
		'all messages start its workflow, even replies, but they answer no question.': [
			'engine/reply/unpublishing.test.ts: that was published %s answers no question',
		],
		'If you enter any other text, you cannot publish the workflow, and the trigger accepts no events.':
			[
				'engine/trigger/signatures.test.ts: cannot be published with the secret %j',
				'engine/trigger/signatures.test.ts: after the secret was changed to %j, no delivery is accepted that is signed with the bytes that Node.js decodes from this text',
			],
		'The trigger accepts a timestamp that differs from the current time by at most five minutes (else 401). Bodies over 1 MB are refused with 413':
			[
				'engine/trigger/signatures.test.ts: accepts %s, and nothing that was changed after signing',
				'engine/trigger/signatures.test.ts: with a limit of 10 KB, responds with %d to %d characters',
				'webhooks/signature: toleranceMs',
				'field: maxPayloadSize default',
			],
		'`from` and `to` are phone numbers with `+` and country code, even if the service leaves out the `+`.':
			['engine/trigger/deliveries.test.ts: simplifies %s with %j to %j'],
		'Deliveries with a list of events, or with a content type other than `application/json`, always pass':
			[
				'engine/trigger/filters.test.ts: a delivery passes Only Run If if its body is not one event that n8n has parsed',
			],
		'at the latest 8 seconds after the first message. Each person has a separate group.': [
			'engine/trigger/collect.test.ts: a person who never stops writing starts an execution after eight seconds',
			'engine/trigger/collect.test.ts: starts one execution for each of 50 people who write three messages at once',
			'trigger/collect: maxGroupSeconds',
		],
		'It starts after 20 receipts, or when no receipt has arrived for 100 ms, but at the latest 3 seconds after the first receipt.':
			[
				'engine/trigger/collect.test.ts: twenty receipts start an execution at once',
				'engine/trigger/collect.test.ts: receipts that never stop start an execution after three seconds',
				'trigger/collect: maxReceipts',
				'trigger/collect: receiptQuietMs',
				'trigger/collect: maxReceiptMs',
			],
	}),
	...promised('docs/send-and-wait.md', '2026-11-29 622db960', {
		'the execution fails, no further question is sent, and replies to those that were sent count as late.':
			[
				'engine/reply/late.test.ts: if a question is refused, no further one is sent, and replies to those that were sent are late',
			],
		'These replies start no other workflow.': [
			'engine/reply/inbox.test.ts: a reply is output once and starts no workflow, with several triggers, one of them registered by hand; with or without an ID',
		],
		'If any of this is missing, an error says what to change, before anybody is asked.': [
			'engine/reply/asking.test.ts: asks nobody without an inbox, and says what to do',
			'n8n/e2e/reply.test.ts: without a trigger that keeps the replies, nobody is asked',
		],
		'You publish a second inbox | It cannot be published': [
			'engine/reply/asking.test.ts: a second inbox cannot be published; if there is one, nobody is asked',
			'n8n/e2e/reply.test.ts: a second trigger that keeps the replies cannot be published',
		],
		"All other messages start the inbox's own workflow": [
			"engine/reply/inbox.test.ts: several people's replies are output in the order of the items, start no workflow and need no further webhook",
			'n8n/e2e/reply.test.ts: every reply arrives once, nobody is asked twice, nothing else counts as a reply',
		],
		'each input item has one output item, in the same order. n8n pairs them': [
			"engine/reply/inbox.test.ts: several people's replies are output in the order of the items, start no workflow and need no further webhook",
		],
		'A *Send and Wait* later in this workflow leaves out such an item': [
			'engine/reply/asking.test.ts: who has written STOP to an earlier question is not asked by the next ones',
		],
		'`true` only after a yes': [
			'engine/reply/answering.test.ts: continues when the time is up: %j outputs %j',
			'engine/reply/approval.test.ts: any other word next to a yes or a no makes the answer unclear',
		],
		'repeated, by default up to two times': [
			'unit/questionFields.test.ts: ask by default for a free text within a day, with two repetitions',
			'engine/reply/answering.test.ts: %d repetitions of the question go to each person',
			'field: repeats default',
		],
		'The repeated question has your words, after a ❓, with the choices, an example, or the dates that the reply can mean.':
			[
				'engine/reply/answering.test.ts: a date is asked for until it is certain: not past, and only one day; the question is repeated in its own words',
				'unit/inbox/answers.test.ts: a date that can mean two days is asked again with both: %s',
			],
		'of a run it keeps up to 100,000 characters of different questions': [
			'unit/inbox/questionRun.test.ts: if the different questions of a run have %d characters, the inbox keeps their texts: %s',
			'inbox/questionRun: maxTexts',
		],
		'"yes?", "yes, but not today"': ['engine/webhooks/texts.test.ts: %s: %j gives %j'],
		'"1,234" (1.234 or 1234), "10 12", "about 5"': [
			'unit/inbox/answers.test.ts: the number %j is read as %j',
		],
		'"refund pls", "2", "the second one", "Refnd" | "not the refund", "refund or voucher"; a number that is no choice, if choices contain digits':
			['unit/inbox/answers.test.ts: of the choices %s, the reply %j means %j'],
		'"tomorrow", "demain", "December 5th", "le 5 décembre", "5 Dec, after 4pm please"': [
			'unit/inbox/readDate.test.ts: %s: "%s" means %s',
		],
		'Yes and no, dates and polite words are understood in the languages of the': [
			'unit/inbox/answerProperties.test.ts: dates are known in the languages of the opt-out words',
			'unit/inbox/answerTable.test.ts: $country, $kind: "$text" means $means, or is asked again',
		],
		'Today is the day where the person is, as far as the phone number shows it': [
			'unit/inbox/readDate.test.ts: tomorrow at %s in %s is %s',
		],
		'To ask for a birthday, switch *Reply Options → Not Before Today* off.': [
			'engine/reply/answering.test.ts: a past date is an answer if Not Before Today is off',
		],
		'It is the reply. It also starts the workflow of each trigger, so that the opt-out is recorded':
			[
				'engine/reply/inbox.test.ts: a word such as STOP starts the workflows that record it, unless it is an expected answer, and the question is not repeated',
			],
		'or after 50 messages': [
			'engine/reply/inbox.test.ts: a reply has at most 50 grouped messages',
			'inbox/answers: maxMessages',
		],
		'If an expression gives the items different wait times, the longest one counts for everybody.':
			[
				'unit/inbox/questionRun.test.ts: questions that differ only in their time limits are the same question',
			],
		'When the time is up, the run continues with the replies so far.': [
			'engine/reply/inbox.test.ts: the replies so far are output when the time is up',
		],
		'The output then has the item that the person would have when the time is up.': [
			'engine/reply/openQuestions.test.ts: when the wait for a person is ended, the run continues with the others, and the person is output as if the time was up',
			'engine/reply/openQuestions.test.ts: with On Timeout: Output Nothing, somebody for whom nobody waits any more has no item',
		],
		'in one execution, or in all if *Execution ID* is empty': [
			'engine/reply/openQuestions.test.ts: all executions stop waiting for a person, or only one of them',
		],
		'A person needs about 100 bytes in a large run, and about 360 bytes in a run that asks only one person.':
			[
				'engine/reply/requests.test.ts: for each person of a run with %d people, a limited number of bytes is stored',
			],
		'n8n itself ends the wait one minute later: everybody has an item with `replied: false`': [
			'n8n/e2e/reply.test.ts: when n8n itself ends the wait, because the inbox is deleted, each item has its output with replied: false',
			'inbox/core: graceMs',
		],
		'unless other items of the run, e.g. skipped ones, would then be paired with the wrong input': [
			'unit/inbox/output.test.ts: if n8n itself ends the wait, there is an item %s',
		],
		'Until n8n restarts, a run whose time is up still gets the replies so far.': [
			'n8n/e2e/reply.test.ts: an inbox that is unpublished still gives a run what people wrote, as long as n8n is not restarted',
		],
		'the beginning of the question, or the name of the template, if the run has at most 50 different ones.':
			[
				'unit/inbox/questionRun.test.ts: if a run has %d different texts, it keeps %d',
				'inbox/questionRun: maxDifferentAsked',
			],
		'is **late**: it starts the workflow of the inbox with `late: true`': [
			'engine/reply/requests.test.ts: replies that can no longer reach their run start the workflow, marked as late',
			'unit/simulation/inbox.test.ts: no schedule breaks an invariant, except where the documentation says so',
		],
		'When n8n starts, the inbox becomes active. It passes the replies to the runs that wait, ends runs whose time is up, and registers itself again':
			[
				'engine/reply/everyday.test.ts: after a restart without any message, the inbox gives runs their replies',
				'n8n/e2e/reply.test.ts: when n8n starts, the inbox wakes without any message',
			],
		'n8n stores each reply before it responds': [
			'engine/reply/inbox.test.ts: replies that arrive at the same moment are all stored before the service gets its responses',
			'n8n/e2e/reply.test.ts: n8n is killed at five moments of five runs: every reply arrives once, nobody is asked twice',
		],
		'even replies that arrived before count as late. New messages start workflows as usual': [
			'engine/reply/inbox.test.ts: a message to a run that the user has stopped is an ordinary message',
			'unit/simulation/inbox.test.ts: a user stops a run: its replies so far start the workflow',
		],
		'after two minutes, its run counts as ended': [
			'unit/simulation/inbox.test.ts: messages to a run whose worker was killed start the workflow',
			'inbox/core: leaseMs',
		],
		'**The service refuses the repeated question**: the node outputs the reply, with `valid: false`.':
			[
				'engine/reply/requests.test.ts: a reply that does not fit is not valid if the service certainly refuses to repeat the question',
			],
		'After ten minutes, every message, even a reply, starts the workflows of these triggers.': [
			'engine/reply/everyday.test.ts: while the inbox is not published, other triggers wait for it; after ten minutes, messages are ordinary, and the log says so',
		],
		'Open questions cannot be read any more, and replies to them start workflows | log': [
			'engine/reply/requests.test.ts: the log says if questions were stored with another key and cannot be read',
			'engine/reply/requests.test.ts: replies still reach the run if the API key is changed while a question is open',
		],
		'*Limit Wait Time* is 24 hours by default': ['field: limitWaitTime default'],
	}),
];
