/** Sentences of the README, and about sending. */
import { promised } from './promised';

export const sending = [
	...promised('README.md', '2026-11-29 622db960', {
		'With *Send Once*, each recipient gets a campaign at most once, even if you stop it or n8n crashes, and you run it again. A table shows to whom it was sent.':
			[
				'engine/execution/sendOnce.test.ts: skips what was sent, with a mark',
				'n8n/e2e/action.test.ts: with Send Once and Stop in the middle, then run again: everybody has one message',
				'n8n/e2e/action.test.ts: with Send Once, during which n8n is killed; then started and run again: nobody gets two',
				'unit/simulation/campaignLog.test.ts: nobody gets a message twice, and everybody is accounted for',
			],
		"The workflow asks customers, and continues with each person's reply, even days later.": [
			'engine/reply/inbox.test.ts: with a time limit in %s, replies no longer count after %d of them',
		],
		'The output shows each finished message, who would be skipped, and who would fail and why. Nothing is sent.':
			[
				'engine/execution/preview.test.ts: sends nothing, shows whom the rules and the campaign log leave out and what fails, and writes nothing into the log',
			],
		'a template that is not approved, a missing variable or an invalid number stops the run before anything is sent':
			[
				'engine/operations/template.test.ts: %s with %j is refused before anything is sent: %s',
				'engine/operations/inputs.test.ts: %j with %j is refused before anything is sent: %s',
			],
		'A message that may have been sent is marked `mayHaveBeenSent` ([what to do](docs/campaigns.md#messages-that-may-have-been-sent)). If the service may not have returned a whole list, a warning says so.':
			[
				'engine/operations/sendResponses.test.ts: a response that says neither yes nor no, or both, may have been sent',
				'engine/operations/results.test.ts: shows a hint if the service does not return the whole list',
			],
		'When you publish the workflow, the trigger registers its URL with the service; when you unpublish, it removes the URL.':
			[
				'engine/trigger/lifecycle.test.ts: is made for the URL with a secret and the chosen events, removed',
				'n8n/e2e/trigger.test.ts: times on and off while the service fails: none is left over',
			],
		'If a reply does not fit, the node asks again.': [
			'engine/reply/inbox.test.ts: if a reply does not fit, the question is repeated',
		],
		'With n8n 2.30 or newer, everything works; 2.41.1 is the newest tested version': [
			'repository/documents.test.ts: the newest tested n8n, and the oldest with everything',
		],
		'with more than a hundred failures: no message was sent twice': [
			'unit/simulation/campaignLog.test.ts: nobody gets a message twice, and everybody is accounted for',
		],
		'In one n8n process, all nodes with this key share it': [
			'engine/transport/serviceConfig.test.ts: base URL and key identify a service, host and key identify a rate, and neither reveals the key',
		],
		'1,000 by default': ['field: requestsPerMinute default'],
		'it gets the first three messages': ['field: testMessages default'],
	}),
	...promised('docs/campaigns.md', '2026-11-29 622db960', {
		'Executions take turns: a reply to a customer does not wait behind a campaign.': [
			"engine/transport/sharedRate.test.ts: a reply, the editor's list of templates and the test of the credential wait no longer than the window demands",
			'unit/transport/rateLimiter.test.ts: of random executions, none exceeds a limit, overtakes itself, goes on while another one waits',
		],
		'With *Options → Messages per Minute*, a node sends at most so many in any minute, the first ones at once':
			[
				'engine/transport/sharedRate.test.ts: with Messages per Minute, a node sends no more in a minute, in all rounds of a loop and all executions, and others go on',
			],
	}),
	...promised('docs/campaigns.md', '2026-11-29 622db960', {
		'Then nobody gets both, and one report compares them.': [
			'n8n/e2e/campaign.test.ts: a comparison of two templates: everybody gets one of the two, and nobody gets a second one',
		],
		'In one n8n process, all executions with the same key share one limit: together, they send at most *Requests per Minute* in any minute.':
			[
				'engine/transport/rate.test.ts: no window has more requests than the rate allows, counted from the response',
				'engine/transport/serviceConfig.test.ts: base URL and key identify a service, host and key identify a rate, and neither reveals the key',
			],
		'If the service asks to slow down (429), all of them wait and nothing is lost.': [
			'engine/transport/rate.test.ts: after a refusal, all requests wait as long as the service asks; then one tests the service, and its success releases the others',
			'engine/transport/rate.test.ts: with a far too high setting and a second process, each message is sent once',
		],
		'If it asks for more than a minute, only this recipient waits, unless it refuses three in a row. For more than ten minutes, nothing waits: the message is not sent.':
			[
				'engine/transport/rate.test.ts: a long wait stops one recipient; after three refused recipients in a row, it stops the key',
				'engine/transport/rate.test.ts: a wait that is too long, given as %s, is reported at once',
				'transport/throttle: enoughSubjects',
				'transport/throttle: maxRateWaitMs',
				'transport/throttle: maxWaitMs',
			],
		'Messages to one person keep the order of the items.': [
			'engine/execution/campaign.test.ts: one person gets the messages in the order of the items',
		],
		'An invalid item anywhere in the list stops the run before anything is sent, and the error names the item.':
			[
				'engine/execution/expressions.test.ts: a missing value inside a text stops the run before anything is sent, or fails only its item',
				'engine/operations/template.test.ts: valid items are sent when the node continues on errors',
			],
		'**Retries** send only what was not sent.': [
			'engine/execution/campaign.test.ts: after an error that says how far the run got, the Retry button continues',
			'n8n/e2e/action.test.ts: that fails in the middle, then the Retry button',
		],
		'A message that may have been sent is reported and never repeated.': [
			'engine/execution/campaign.test.ts: a message that may have been sent is reported and never repeated, while the others continue',
		],
		'each recipient gets the campaign at most once, even if the workflow runs again, you stop it, or n8n crashes.':
			[
				'engine/execution/sendOnce.test.ts: skips what was sent, with a mark',
				'n8n/e2e/action.test.ts: with Send Once, during which n8n is killed',
			],
		'With a new campaign name, everybody can get a message again': [
			'engine/execution/sendOnce.test.ts: another campaign is sent to the same people',
		],
		'**If you edit a row** but its `campaign`, `phone` and `account`, the person can get this campaign again only if its `status` is `notSent`.':
			['engine/execution/sendOnce.test.ts: rows that people have changed never send twice'],
		'After **Stop**, the requests that have started are finished, and no others start.': [
			'engine/execution/campaign.test.ts: ends the sending; Retry sends the rest, and reports messages that were under way without sending them again',
		],
		'Without Send Once, everybody would get it again, also by a retry of an execution that you have stopped.':
			[
				'n8n/e2e/action.test.ts: without Send Once, with Stop in the middle of a published workflow: the Retry button would send everything again',
			],
		'with Send Once, nobody gets the message twice': [
			'n8n/e2e/action.test.ts: with Send Once and Stop in the middle, then run again: everybody has one message',
		],
		'Without recorded events, nobody counts as having read it, and a hint says so.': [
			'engine/campaign/followUp.test.ts: if nothing was recorded, a hint says so, for what depends on it',
		],
		'If the segment cannot be read completely, or has no contacts, nothing is sent;': [
			'engine/execution/audience.test.ts: nothing is sent if the excluded segment %s',
			'engine/execution/audience.test.ts: a segment without contacts stops the run before anything is sent, unless the user allows it',
		],
		'Sends only one message to a person who is in the list twice, or stops with an error': [
			'engine/execution/audience.test.ts: gets one message with Send First',
			'engine/execution/audience.test.ts: stops the run before anything is sent, with Stop With Error',
		],
		'The window is checked again right before each message goes out': [
			'engine/execution/closingWindow.test.ts: nobody gets a message after the window has closed',
		],
		'Days, weeks (from Monday) and months begin at midnight UTC': [
			'engine/execution/audience.test.ts: counts by calendar %s in UTC: %s are in the same one, and %s is in the next',
		],
		'with Send Once, the next execution continues with the others': [
			'engine/execution/maxRecipients.test.ts: with Send Once, the next run continues with the others, as its preview says',
		],
		'Whom another rule leaves out, who got the campaign earlier, and whose message was certainly not sent do not count':
			[
				'engine/execution/maxRecipients.test.ts: whom another rule leaves out takes up no place',
				'engine/execution/maxRecipients.test.ts: a message that was certainly not sent takes up no place, one that may have been sent does, %s',
			],
		'In a loop, or if several nodes are connected to this one, the rules and *Number of Test Messages* apply to the whole execution':
			['engine/execution/rounds.test.ts: %s applies over all rounds of a loop'],
		'An expression without a value, e.g. with a mistyped column name, stops the run, except in *Name in Campaign Log*.':
			[
				'engine/operations/missingValues.test.ts: the table contains all fields',
				'engine/operations/missingValues.test.ts: $at is refused by name',
			],
		"In n8n's evaluations, nothing is sent": [
			'engine/execution/preview.test.ts: replaces sending in %s',
			'engine/execution/preview.test.ts: in an execution in the editor that %s has started',
		],
		'**Preview** sends nothing, also for *Send and Wait for Response*.': [
			'engine/execution/preview.test.ts: of a question shows the text, and waits for no reply',
		],
		'Send Once and the Frequency Cap do not count test messages.': [
			'engine/execution/audience.test.ts: a test goes only to the test number, which may be a local one, and leaves nothing behind',
		],
		'the template is sent only if the service has clearly refused the text, never after a timeout':
			[
				'engine/execution/fallback.test.ts: a text that is %s never reaches the customer together with a template',
			],
		'The message was certainly not sent': [
			'engine/execution/maxRecipients.test.ts: a message that was certainly not sent takes up no place, one that may have been sent does, %s',
			'engine/operations/sendResponses.test.ts: a response that says no is a refusal: nothing was sent, whatever else it contains',
		],
		"[When n8n's data tables are full](limits.md), nothing more is sent.": [
			'engine/execution/sendOnce.test.ts: a full table: the message is not sent, and the error says so',
		],
		'The node never guesses a number': [
			'unit/phone/library.slow.test.ts: never turns digits into an impossible number, or a valid number into another',
		],
		'at most 20 lines for each run, and none for fewer than 100 messages': [
			'execution/report: maxLines',
			'execution/report: minStep',
			'engine/execution/campaign.test.ts: shows the progress, but only of long runs',
		],
		'If the table cannot be read, or there are two such tables (*Opt-outs*, *opt outs*), nothing is sent.':
			[
				'engine/execution/optOuts.test.ts: nothing is sent if the table cannot be read',
				'engine/execution/optOuts.test.ts: and if there is also Opt-outs, nothing is sent',
			],
	}),
	...promised('docs/limits.md', '2026-11-29 622db960', {
		'Wait that the service asks for (429) | 10 minutes': ['transport/throttle: maxWaitMs'],
		'Attempts at a request that was certainly not sent | 4': ['transport/client: maxAttempts'],
		'*Timeout (Seconds)* | 3,600': ['field: timeout maxValue'],
		'*Simultaneous Requests* | 600': ['field: concurrency maxValue'],
		'*Number of Test Messages* | 100': ['field: testMessages maxValue'],
		'*Frequency Cap* | 20 messages': ['field: messages maxValue'],
		'500,000 on 10,000 pages; with fewer than 50 records a page and no total, 1,000 pages': [
			'transport/lists: maxRecords',
			'transport/lists: maxPages',
			'transport/lists: smallPage',
			'transport/lists: maxSmallPages',
		],
		'remembers between runs, for ten minutes | 250,000': [
			'operations/contactIndex: maxAgeMs',
			'operations/contactIndex: maxContacts',
		],
		'Size of a response | 32 MB': ['transport/errors: maxResponseBytes'],
		'People whom one run asks | 10,000': [
			'engine/reply/asking.test.ts: refuses to ask more than 10,000 people',
			'inbox/ask: maxPeople',
		],
		'when a run begins to ask | 50,000': [
			'engine/reply/requests.test.ts: a trigger waits for at most 50,000 people',
			'inbox/known: maxOpen',
		],
		'*Limit Wait Time* | 365 days': ['operations/sending/questionFields: maxDays'],
		'*Repeat Question* | 10 times': ['field: repeats maxValue'],
		'Text of a reply | 4,000 characters; all replies of a run together 3 million': [
			'inbox/core: maxText',
			'inbox/core: maxTextOfAll',
		],
		'Messages of a reply, and seconds between them | 50, and 60 seconds': [
			'inbox/answers: maxMessages',
			'operations/sending/questionFields: maxFurtherSeconds',
		],
	}),
	...promised('docs/monitoring.md', '2026-11-29 622db960', {
		'An execution that has sent messages carries these figures, added up over its nodes.': [
			'engine/operations/results.test.ts: an execution and its span have the results of the messages, each counted by the attempt that sent it',
		],
		'If you stop an execution, it shows the figures up to that moment': [
			'engine/operations/results.test.ts: contain what a stopped execution has sent, and as uncertain what was under way',
		],
		'messages that were certainly not sent': [
			'engine/operations/results.test.ts: each counted by the attempt that sent it',
		],
	}),
	...promised('docs/sandbox.md', '2026-11-29 622db960', {
		'If the sandbox knows the `Idempotency-Key` of a request, it returns the earlier response and sends nothing':
			[
				'service/sandbox/sandbox.test.ts: if it recognizes idempotency keys, a repeated request has no second effect',
			],
		'*Fallback Template*: somebody who has never written gets the template.': [
			'engine/execution/fallback.test.ts: if the service refuses texts to people who have not written lately, only these people get the template',
		],
		'Refuses a text to anybody who has not written in the last 24 hours; templates arrive': [
			'service/sandbox/sandbox.test.ts: with a text window, people who have not written lately get only templates',
		],
		'Web pages from other addresses cannot use these controls.': [
			'service/sandbox/sandbox.test.ts: the controls refuse web pages of other origins',
		],
		'The sandbox answers only to this machine.': [
			'service/sandbox/sandbox.test.ts: the page and the controls are for this machine only',
		],
	}),
	...promised('docs/scaling.md', '2026-11-29 622db960', {
		"If all together exceed the service's limit, [they wait]": [
			'engine/transport/rate.test.ts: with a far too high setting and a second process, each message is sent once',
		],
		'work across all workers, even if they send to the same person at the same moment, stand still for minutes or are killed':
			[
				'unit/simulation/campaignLog.test.ts: nobody gets a message twice, and everybody is accounted for',
			],
		'continues on any worker, even if the one that asked has stopped': [
			'unit/simulation/inbox.test.ts: no schedule breaks an invariant',
		],
	}),
	...promised('docs/security.md', '2026-11-29 622db960', {
		'The key is in the credential and in one request header, nowhere else. The first thing that the node does with a response is to look for the key in it.':
			[
				'engine/security/credential.test.ts: is only in the header of requests',
				'engine/security/credential.test.ts: is removed if the service quotes it %s',
			],
		'with *Specific Domains*, the host of the Base URL must be in the list': [
			"engine/security/credential.test.ts: n8n's Allowed Domains of the credential apply to the node, the credential test, pickers and the trigger",
		],
	}),
	...promised('docs/service-requirements.md', '2026-11-29 622db960', {
		'Nobody else can start your workflow, even with its address': [
			'engine/trigger/signatures.test.ts: accepts %s, and nothing that was changed after signing',
		],
		'The trigger then recognizes events that are delivered twice': [
			'engine/trigger/duplicates.test.ts: remembers events after a restart of n8n',
		],
	}),
];
