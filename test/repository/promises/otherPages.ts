/** Sentences of the other pages, with what fails when they are false. */
import type { Promises } from './types';

export const otherPages: Promises = {
	'docs/compatibility.md': [
		{ sentence: '1.107 to 2.2', provedBy: ['n8n/compat/engines.ts: 1.107'] },
	],
	'docs/scaling.md': [
		{
			sentence:
				'If all processes together exceed the limit, the service responds with 429 and all of them wait. No message is lost.',
			provedBy: [
				'engine/transport/rate.test.ts: with a far too high setting and a second process, each message is sent once',
				'n8n/queue/scenarios.ts: One, two and three workers send the same campaign',
			],
		},
		{
			sentence:
				'work across all workers, even if they send to the same person at the same moment, stand still for minutes or are killed',
			provedBy: [
				'unit/simulation/campaignLog.test.ts: nobody gets a message twice, and everybody is accounted for',
				'n8n/queue/scenarios.ts: all workers send to the same people at the same moment',
			],
		},
		{
			sentence: 'continues on any worker, even if the one that asked has stopped',
			provedBy: [
				'n8n/queue/replies.ts: the worker that asks is killed',
				'unit/simulation/inbox.test.ts: no schedule breaks an invariant',
			],
		},
		{
			sentence:
				'calls every URL of the examples through the proxy: webhooks, forms, MCP, and replies',
			provedBy: [
				'n8n/deployment/urls.ts: mcp-server: an assistant lists its tools and sends a message',
				'n8n/deployment/urls.ts: Send and Wait: the reply comes through the inbox',
			],
		},
	],
	'docs/measurements.md': [
		{
			sentence: 'this service allows 1,000 messages in any 10 seconds',
			provedBy: ['bench/campaign.ts: times the best possible time'],
		},
		{
			sentence: 'measures how much of the allowed rate is used',
			provedBy: [
				'bench/campaign.ts: of the plan were used',
				'engine/transport/rate.test.ts: simultaneous requests',
			],
		},
		{
			sentence:
				"`Block` is the longest time that n8n's editor and webhooks had to wait, because its event loop stood still",
			provedBy: ['bench/growth.ts: n8n stood still for', 'bench/growth.ts: times the time.'],
		},
	],
	'docs/monitoring.md': [
		{
			sentence:
				'An execution that has sent messages carries these figures, added up over its nodes.',
			provedBy: [
				'engine/operations/results.test.ts: an execution and its span have the results of the messages, each counted by the attempt that sent it',
			],
		},
		{
			sentence: 'If you stop an execution, it shows the figures up to that moment',
			provedBy: [
				'engine/operations/results.test.ts: contain what a stopped execution has sent, and as uncertain what was under way',
			],
		},
		{
			sentence: 'messages that were certainly not sent',
			provedBy: ['engine/operations/results.test.ts: each counted by the attempt that sent it'],
		},
		{
			sentence: 'filter by these values under *Highlighted data*',
			provedBy: [
				'engine/operations/results.test.ts: the list of executions can be filtered by recipient and campaign',
			],
		},
	],
	'docs/sandbox.md': [
		{
			sentence:
				'If the sandbox knows the `Idempotency-Key` of a request, it returns the earlier response and sends nothing',
			provedBy: [
				'service/sandbox/sandbox.test.ts: if it recognizes idempotency keys, a repeated request has no second effect',
			],
		},
		{
			sentence: '*Fallback Template*: somebody who has never written gets the template.',
			provedBy: [
				'engine/execution/fallback.test.ts: if the service refuses texts to people who have not written lately, only these people get the template',
			],
		},
		{
			sentence:
				'Refuses a text to anybody who has not written in the last 24 hours; templates arrive',
			provedBy: [
				'service/sandbox/sandbox.test.ts: with a text window, people who have not written lately get only templates',
			],
		},
		{
			sentence: 'Signs its deliveries',
			provedBy: [
				'service/sandbox/sandbox.test.ts: with a secret, deliveries are signed as the trigger expects it, in both ways',
			],
		},
		{
			sentence: 'Web pages from other addresses cannot use these controls.',
			provedBy: ['service/sandbox/sandbox.test.ts: the controls refuse web pages of other origins'],
		},
		{
			sentence: 'The sandbox answers only to this machine.',
			provedBy: [
				'service/sandbox/sandbox.test.ts: the page and the controls are for this machine only',
			],
		},
	],
	'docs/saved-workflows.md': [
		{
			sentence:
				'A test checks that every parameter is still there with its type, default and options, and that these nodes still run.',
			provedBy: [
				'n8n/compat/saved.test.ts: every parameter is still at the same place, with the same type, default and options',
			],
		},
	],
	'docs/security.md': [
		{
			sentence:
				'The key is in the credential and in one request header, nowhere else. The first thing that the node does with a response is to look for the key in it.',
			provedBy: [
				'engine/security/credential.test.ts: is only in the header of requests',
				'engine/security/credential.test.ts: is removed if the service quotes it %s',
			],
		},
		{
			sentence: 'with *Specific Domains*, the host of the Base URL must be in the list',
			provedBy: [
				"engine/security/credential.test.ts: n8n's Allowed Domains of the credential apply to the node, the credential test, pickers and the trigger",
			],
		},
		{
			sentence:
				'Numbers, questions, replies and resume URLs are encrypted with the API key (AES-256-GCM).',
			provedBy: [
				"engine/security/secrets.test.ts: learns nothing about the questions of other workflows from an export of the inbox's workflow",
			],
		},
	],
	'docs/service-requirements.md': [
		{
			sentence: "The nodes call no other paths, except with n8n's *Custom API Call*",
			provedBy: [
				'service/contract/document.test.ts: is up to date (npm run docs writes it)',
				'n8n/e2e/action.test.ts: as Custom API Call tells users to',
			],
		},
		{
			sentence: 'Nobody else can start your workflow, even with its address',
			provedBy: [
				'engine/trigger/signatures.test.ts: accepts %s, and nothing that was changed after signing',
				'engine/trigger/lifecycle.test.ts: a trigger without a registration refuses a call with the secret',
			],
		},
		{
			sentence: 'The trigger then recognizes events that are delivered twice',
			provedBy: ['engine/trigger/duplicates.test.ts: remembers events after a restart of n8n'],
		},
	],
	'SECURITY.md': [
		{
			sentence: 'keep n8n busy with one message',
			provedBy: [
				'engine/security/hostileData.test.ts: one message cannot keep n8n busy with the filter %s (%s)',
			],
		},
		{
			sentence: 'To reproduce the tarball of a commit byte for byte, run `.ci/pack`.',
			provedBy: ['.ci/pack: The two tarballs differ.'],
		},
	],
};
