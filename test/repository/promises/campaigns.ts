/** Sentences of docs/campaigns.md, with what fails when they are false. */
import type { Promises } from './types';

export const campaigns: Promises = {
	'docs/campaigns.md': [
		{
			sentence: 'If the table cannot be read, nothing is sent.',
			provedBy: ['engine/execution/optOuts.test.ts: nothing is sent if the table cannot be read'],
		},
		{
			sentence: 'Then nobody gets both, and one report compares them.',
			provedBy: [
				'n8n/e2e/campaign.test.ts: a comparison of two templates: everybody gets one of the two, and nobody gets a second one',
			],
		},
		{
			sentence:
				'In one n8n process, all executions with the same key share one limit: together, they send at most *Requests per Minute* in any 60 seconds.',
			provedBy: [
				'engine/transport/rate.test.ts: no window has more requests than the rate allows, counted from the response',
				'engine/transport/serviceConfig.test.ts: base URL and key identify a service, host and key identify a rate, and neither reveals the key',
			],
		},
		{
			sentence: 'If the service asks to slow down (429), all of them wait and nothing is lost.',
			provedBy: [
				'engine/transport/rate.test.ts: after a refusal, all requests wait as long as the service asks; then one tests the service, and its success releases the others',
				'engine/transport/rate.test.ts: with a far too high setting and a second process, each message is sent once',
			],
		},
		{
			sentence: 'Messages to one person keep the order of the items.',
			provedBy: [
				'engine/execution/campaign.test.ts: one person gets the messages in the order of the items',
			],
		},
		{
			sentence:
				'An invalid item anywhere in the list stops the run before anything is sent, and the error names the item.',
			provedBy: [
				'engine/execution/expressions.test.ts: a missing value inside a text stops the run before anything is sent, or fails only its item',
				'engine/operations/template.test.ts: valid items are sent when the node continues on errors',
			],
		},
		{
			sentence: 'A message that may have been sent is reported and never repeated.',
			provedBy: [
				'engine/execution/campaign.test.ts: a message that may have been sent is reported and never repeated, while the others continue',
			],
		},
		{
			sentence:
				'each recipient gets the campaign at most once, even if the workflow runs again, you stop it, or n8n crashes.',
			provedBy: [
				'engine/execution/sendOnce.test.ts: skips what was sent, with a mark',
				'n8n/e2e/action.test.ts: with Send Once, during which n8n is killed',
			],
		},
		{
			sentence: 'With a new campaign name, everybody can get a message again',
			provedBy: ['engine/execution/sendOnce.test.ts: another campaign is sent to the same people'],
		},
		{
			sentence:
				'**If you edit a row**, the person can get another message only if its `status` is `notSent`.',
			provedBy: [
				'engine/execution/sendOnce.test.ts: rows that people have changed never send twice',
			],
		},
		{
			sentence: 'After **Stop**, the requests that have started are finished, and no others start.',
			provedBy: [
				'engine/execution/campaign.test.ts: ends the sending; Retry sends the rest, and reports messages that were under way without sending them again',
			],
		},
		{
			sentence: 'with Send Once, nobody gets the message twice',
			provedBy: [
				'n8n/e2e/action.test.ts: with Send Once and Stop in the middle, then run again: everybody has one message',
				'n8n/queue/scenarios.ts: all workers send to the same people at the same moment',
			],
		},
		{
			sentence: 'If the segment cannot be read completely, or has no contacts, nothing is sent.',
			provedBy: [
				'engine/execution/audience.test.ts: nothing is sent if the excluded segment %s',
				'engine/execution/audience.test.ts: a segment without contacts stops the run before anything is sent, unless the user allows it',
			],
		},
		{
			sentence:
				'Sends only one message to a person who is in the list twice, or stops with an error',
			provedBy: [
				'engine/execution/audience.test.ts: gets one message with Send First',
				'engine/execution/audience.test.ts: stops the run before anything is sent, with Stop With Error',
			],
		},
		{
			sentence: 'In New York, a window from 09:00 to 20:00 is open for eleven hours',
			provedBy: ['engine/execution/sendWindow.test.ts: with +1, the area code %s decides: %j'],
		},
		{
			sentence:
				'If a number can be in several time zones, the window must be open in all of them. A number from western Kansas can be in two time zones, so its window is open for ten hours.',
			provedBy: [
				'engine/execution/sendWindow.test.ts: in %s a message waits until the window is open in all time zones, and no longer',
			],
		},
		{
			sentence:
				'The window is checked again right before each message goes out, because it may close during a long run',
			provedBy: [
				'engine/execution/closingWindow.test.ts: nobody gets a message after the window has closed',
			],
		},
		{
			sentence: 'Limits how many messages a person gets per calendar day, week or month',
			provedBy: [
				'engine/execution/audience.test.ts: counts by calendar %s in UTC',
				'engine/execution/audience.test.ts: counts messages over all workflows of the project, but not unsent ones',
			],
		},
		{
			sentence: 'For the cap, days, weeks (from Monday) and months begin at midnight UTC',
			provedBy: [
				'engine/execution/audience.test.ts: counts by calendar %s in UTC: %s are in the same one, and %s is in the next',
			],
		},
		{
			sentence:
				'In a loop, or if several nodes are connected to this one, the rules and *Number of Test Messages* apply to the whole execution',
			provedBy: ['engine/execution/rounds.test.ts: %s applies over all rounds of a loop'],
		},
		{
			sentence:
				'In every field, an expression without a value stops the run. So a mistyped column name never causes a message with a gap.',
			provedBy: [
				'engine/operations/missingValues.test.ts: the table contains all fields',
				'engine/operations/missingValues.test.ts: $at is refused by name',
			],
		},
		{
			sentence: "In n8n's evaluations, nothing is sent",
			provedBy: [
				'engine/execution/preview.test.ts: replaces sending in %s',
				'engine/execution/preview.test.ts: in an execution in the editor that %s has started',
			],
		},
		{
			sentence: '**Preview** sends nothing, also for *Send and Wait for Response*.',
			provedBy: [
				'engine/execution/preview.test.ts: of a question shows the text, and waits for no reply',
			],
		},
		{
			sentence: 'Send Once and the Frequency Cap do not count test messages.',
			provedBy: [
				'engine/execution/audience.test.ts: a test goes only to the test number, which may be a local one, and leaves nothing behind',
			],
		},
		{
			sentence:
				'the template is sent only if the service has clearly refused the text, never after a timeout',
			provedBy: [
				'engine/execution/fallback.test.ts: a text that is %s never reaches the customer together with a template',
			],
		},
		{
			sentence: 'Fields of the result replace input fields with the same name.',
			provedBy: [
				'engine/execution/campaign.test.ts: every item, sent or not, has its own columns first and then those of the input',
			],
		},
		{
			sentence: 'The message was certainly not sent',
			provedBy: [
				'engine/transport/faults.test.ts: 503 after the request took effect',
				'engine/operations/sendResponses.test.ts: a response that says no is a refusal: nothing was sent, whatever else it contains',
			],
		},
		{
			sentence: 'skipped: `mayHaveBeenSent`',
			provedBy: [
				'engine/execution/sendOnce.test.ts: the next run sends unsent messages, and marks those that may have been sent',
			],
		},
		{
			sentence: 'delete the row, or change its `status` to `notSent`',
			provedBy: [
				'engine/execution/sendOnce.test.ts: after it was deleted, the message goes out with another one',
				'engine/execution/sendOnce.test.ts: set to notSent, to send again',
			],
		},
		{
			sentence: 'if they are full, nothing is sent',
			provedBy: [
				'engine/execution/sendOnce.test.ts: a full table: the message is not sent, and the error says so',
			],
		},
		{
			sentence: 'one row for each message says who got it and who did not',
			provedBy: [
				'engine/execution/sendOnce.test.ts: each message that was tried is one row, in the words of the output',
				'n8n/e2e/campaignLog.test.ts: the table says who got it',
			],
		},
		{
			sentence: 'at most 21 lines for each run, and none for fewer than 100 messages',
			provedBy: [
				'engine/execution/campaign.test.ts: shows the progress, but only of long runs, and no personal data',
			],
		},
		{
			sentence:
				"A difference is clear if chance alone causes such a difference in fewer than 1 of 100 campaigns (Fisher's exact test).",
			provedBy: [
				'engine/examples/report.test.ts: the note agrees with a count of all possibilities, for every small campaign',
			],
		},
		{
			sentence: 'The node never guesses a number',
			provedBy: [
				'unit/phone/library.test.ts: never turns digits into an impossible number, or a valid number into another',
			],
		},
	],
};
