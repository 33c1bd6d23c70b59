/** Sentences of the README, with what fails when they are false. */
import type { Promises } from './types';

export const readme: Promises = {
	'README.md': [
		{
			sentence:
				'one simulated hour with 113 failures and 47,013 campaign messages: none sent twice, none lost unnoticed, and 467 marked as *may have been sent*',
			provedBy: ['n8n/soak/truth.ts: lost, doubled'],
		},
		{
			sentence:
				'With *Send Once*, each recipient gets a campaign at most once, even if n8n stops in the middle and you run it again. A table shows to whom it was sent.',
			provedBy: [
				'n8n/e2e/action.test.ts: with Send Once, during which n8n is killed; then started and run again: nobody gets two',
				'unit/simulation/campaignLog.test.ts: nobody gets a message twice, and everybody is accounted for',
			],
		},
		{
			sentence:
				"The workflow asks customers, and continues with each person's reply, even days later.",
			provedBy: [
				'engine/reply/inbox.test.ts: with a time limit in %s, replies no longer count after %d of them',
			],
		},
		{
			sentence: 'With n8n 2.28 or newer, everything works; 2.41.1 is the newest tested version',
			provedBy: ['n8n/compat/engines.ts: 2.28'],
		},
		{
			sentence: 'The package installs nothing else',
			provedBy: [
				'repository/publishing.test.ts: the tarball contains what runs and what is shown, and has no dependencies',
			],
		},
		{
			sentence: 'n8n tests the credential when you save it and tells you what to correct.',
			provedBy: [
				'engine/credentials/credential.test.ts: says that the key is wrong, without showing it',
				'engine/credentials/credential.test.ts: says that there is no messaging service at an address with %s',
			],
		},
		{
			sentence:
				'If the header of a utility template is a document, enter the public address of a PDF.',
			provedBy: [
				'engine/editor/templates.test.ts: the form of %s asks for a PDF if the template needs one',
			],
		},
		{
			sentence:
				'The output shows each finished message, who would be skipped, and who would fail and why. Nothing is sent.',
			provedBy: [
				'engine/execution/preview.test.ts: sends nothing, shows whom the rules and the campaign log leave out and what fails, and writes nothing into the log',
			],
		},
		{
			sentence:
				'a template that is not approved, a missing variable or an invalid number stops the run before anything is sent',
			provedBy: [
				'engine/operations/template.test.ts: %s with %j is refused before anything is sent: %s',
				'engine/operations/inputs.test.ts: %j with %j is refused before anything is sent: %s',
			],
		},
		{
			sentence:
				'Messages go out as fast as your plan allows. Each recipient gets them in order. A retry never sends a message twice.',
			provedBy: [
				'engine/transport/throttle.test.ts: a service whose rate is observed refuses nothing, and gets as many requests as it allows',
				'engine/execution/campaign.test.ts: one person gets the messages in the order of the items',
				'engine/execution/campaign.test.ts: after an error that says how far the run got, the Retry button continues; after that, nothing stays stored',
				'bench/campaign.ts: times the best possible time',
			],
		},
		{
			sentence:
				"With **Send Once**, each recipient gets a campaign at most once, even if the workflow runs again, you stop it, or n8n crashes. This is true as long as the recipient's row is in the table.",
			provedBy: [
				'engine/execution/sendOnce.test.ts: skips what was sent, with a mark',
				'n8n/e2e/action.test.ts: with Send Once and Stop in the middle, then run again: everybody has one message',
			],
		},
		{
			sentence:
				'A message that may have been sent is marked `mayHaveBeenSent` ([what to do](docs/campaigns.md#messages-that-may-have-been-sent)). If the service may not have returned a whole list, a warning says so.',
			provedBy: [
				'engine/operations/sendResponses.test.ts: a response that says neither yes nor no, or both, may have been sent',
				'engine/operations/results.test.ts: shows a hint if the service does not return the whole list',
			],
		},
		{
			sentence: 'records everyone whose whole message is STOP or',
			provedBy: [
				'n8n/e2e/campaign.test.ts: opt-outs: STOP is confirmed once',
				'engine/webhooks/texts.test.ts: in %s, %s opts out and %s opts in',
			],
		},
		{
			sentence:
				'When you publish the workflow, the trigger registers its URL with the service; when you unpublish, it removes the URL.',
			provedBy: [
				'engine/trigger/lifecycle.test.ts: is made for the URL with a secret and the chosen events, removed',
				'n8n/e2e/trigger.test.ts: times on and off while the service fails: none is left over',
			],
		},
		{
			sentence: 'From now on, every message starts the workflow.',
			provedBy: [
				'engine/trigger/deliveries.test.ts: starts an execution when a customer writes',
				'n8n/e2e/trigger.test.ts: n8n is killed while messages arrive',
			],
		},
		{
			sentence:
				'You need only one inbox: it passes the replies to all workflows that use this credential.',
			provedBy: [
				'n8n/e2e/reply.test.ts: a second trigger that keeps the replies cannot be published, and the error names the first',
			],
		},
		{
			sentence: 'If a reply does not fit, the node asks again.',
			provedBy: ['engine/reply/inbox.test.ts: if a reply does not fit, the question is repeated'],
		},
		{
			sentence:
				'If your service accepts other fields or parameters, send them with *Additional Fields* and *Query Parameters*.',
			provedBy: [
				'engine/operations/inputs.test.ts: Additional Fields are sent with the type that the user chose',
				'engine/security/hostileData.test.ts: Additional Fields and Query Parameters with any name are sent as they were written',
			],
		},
		{
			sentence: 'Every operation can be a tool of an AI agent',
			provedBy: [
				'n8n/e2e/ai.test.ts: the example of an MCP server accepts only clients with the header, shows what to fill in, finds contacts and sends',
				'n8n/e2e/ai.test.ts: what a tool does and what to fill in',
			],
		},
		{
			sentence: 'these commands start a real n8n with all examples, and a sandbox of the service',
			provedBy: ['n8n/e2e/commands.test.ts: npm start imports every example once'],
		},
		{
			sentence:
				'`npm run demo` sends a campaign to 200 made-up customers and prints how many received it, read it and got a reply.',
			provedBy: [
				'n8n/e2e/commands.test.ts: npm run demo reaches everybody, answers everybody once',
			],
		},
	],
};
