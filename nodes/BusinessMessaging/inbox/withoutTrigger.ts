/** Without a trigger: registers the resume URL of the one person who is asked. */
import { createHmac } from 'crypto';
import { partition, sampleSize } from 'lodash';
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Listening } from '../execution/run';
import { textOrJson } from '../jsonValues';
import { writeLog } from '../log';
import { InputError, asFailure } from '../transport/errors';
import { samePhoneKey } from '../phone/compare';
import type { Client } from '../transport/client';
import { pause } from '../transport/deadline';
import { canonical, checkDeliverable } from '../webhooks/publicAddress';
import {
	type RegisteredWebhook,
	addWebhook,
	listWebhooks,
	removeWebhooks,
} from '../webhooks/registrations';
import { callRun } from './calls';
import { type Run, type RunState, graceMs, isEnded } from './core';
import type { QuestionRun } from './questionRun';
import { toRecord } from './records';
import { seal } from './seal';
import { isWaitingUrl } from './urls';

/** The longest pause before n8n is called again, ms. */
const maxPauseMs = 10_000;
/** How many registrations for other people a question checks, to remove those that earlier runs have left behind. */
const maxChecked = 10;
/** The pause after which a run is asked again whether it still waits, ms. */
const repeatMs = 1_000;
/** How often a run that asks the same person is asked again at most while it is running. */
const maxAttempts = 5;

/** What a run without a trigger keeps in the node's context, which n8n stores with the execution. */
export interface Wait {
	/** Distinguishes the rounds of a loop. */
	run: string;
	/** See toRecord; encrypted with the URL, which n8n does not store; only without a trigger. */
	record?: string;
	/** The registration at the service. */
	registration?: { id?: string };
}

/**
 * Registers the URL, and removes registrations that earlier runs have left behind.
 *
 * @throws InputError if another run waits or may wait for the same person, or the service cannot reach n8n; ServiceError
 */
export async function listenByWebhook(
	run: QuestionRun,
	webhooks: RegisteredWebhook[],
): Promise<Listening> {
	const { context, client, id, asked } = run;
	const phone = samePhoneKey(textOrJson(asked[0].request.body?.to));
	// Names a person without showing the phone number, also after a change of the API key. Whoever knows the instance ID can
	// check a number.
	const person = createHmac('sha256', context.getInstanceId()).update(phone).digest('base64url');
	const url = canonical(context.getSignedResumeUrl({ wait: `${id}.${person}` }));
	checkDeliverable(url, client.config);
	const earlier = webhooks.filter(({ url: other = '' }) => isWaitingUrl(other, url));
	const [same, others] = partition(earlier, (webhook) => webhook.url?.includes(person));
	// A random choice, so that each registration is checked sooner or later.
	const checked = [...same, ...sampleSize(others, maxChecked)];
	const states = await Promise.all(
		checked.map(async (webhook) => await checkEarlier(run, webhook, same.includes(webhook))),
	);
	refuseSecond(states.slice(0, same.length));
	const registration = { id: await addWebhook(client, { url, events: ['message.received'] }) };
	const stop = async () => await unregister(context, client, url, registration.id);
	const wait = async () => {
		const until = Date.now() + run.limitMs;
		const record = toRecord(toRun(run, url, until), url);
		const sealed = seal(url, record); // the API key may change while the run waits
		helpers = context.helpers;
		if (run.people.length === 0) await stop();
		else void endAt({ id, url }, record, until);
		const kept: Wait = { run: id, record: sealed, registration };
		context.getContext('node').wait = kept;
		return run.people.length > 0 && (await run.wait(until));
	};
	return { tell: async () => {}, stop, wait };
}

function toRun({ id, questions, people, notAsked }: QuestionRun, url: string, until: number): Run {
	const startedAt = Date.now();
	const state = { isWhole: true, isOver: false, started: [], leaseUntil: startedAt };
	const byItem = new Map(people.map((person) => [person.item, person]));
	return {
		id,
		url,
		owner: url,
		triggers: [],
		startedAt,
		until,
		...state,
		questions,
		people: byItem,
		notAsked,
	};
}

/**
 * Removes a registration whose execution can get no reply any more.
 *
 * @param isSame whether it is for the person who is asked now
 * @returns the state of that execution
 */
async function checkEarlier(
	{ context, client }: QuestionRun,
	webhook: RegisteredWebhook,
	isSame: boolean,
): Promise<RunState> {
	const url = webhook.url ?? '';
	const poll = async () => await callRun(context, client.config.id, { id: '', url }, url);
	let state = await poll();
	// In a loop, an earlier round has asked.
	const isOwn = url.includes(`/${context.getExecutionId()}/`);
	if (state === 'running' && (isOwn || !isSame)) return 'finished';
	if (state === 'running' || state === 'unknown' || state === 'broken') {
		await pause(repeatMs);
		state = await poll();
	}
	// An execution that has got its reply removes its registration soon.
	for (let attempt = 1; state === 'running' && attempt < maxAttempts; attempt++) {
		const listed = await listWebhooks(client);
		if (!listed.some((other) => other.url === url)) return 'finished';
		await pause(repeatMs);
		state = await poll();
	}
	if (isEnded(state) || state === 'broken') await removeWebhooks(client, [webhook]);
	return state;
}

/** @param states of the executions that have asked the same person @throws InputError if one of them waits, or may wait */
function refuseSecond(states: RunState[]): void {
	if (states.includes('waiting')) {
		throw new InputError(
			'Another question to this person is open',
			'Stop the execution that waits for the reply. To have several questions open, publish a workflow with Business Messaging Trigger and the same credential, e.g. the example Inbox.',
		);
	}
	if (states.includes('running')) {
		throw new InputError(
			'Another execution that asks this person is still running',
			'Run the workflow again when that execution has ended, or stop it. If it is waiting for this one, publish a workflow with Business Messaging Trigger and the same credential.',
		);
	}
	if (states.includes('unknown')) {
		throw new InputError(
			'Another question to this person may be open: n8n did not respond at its own public address',
			'Check that n8n can call its own address (N8N_WEBHOOK_URL) and is not overloaded. Then run the workflow again.',
		);
	}
}

/**
 * n8n's helpers of the latest question. They keep all data of their execution in memory, so all waits of this process
 * are ended with the same ones.
 */
let helpers: IExecuteFunctions['helpers'];

/** Tries to end the wait when the time is up, until n8n itself ends it. */
async function endAt(run: Pick<Run, 'id' | 'url'>, record: string, until: number): Promise<void> {
	while (Date.now() < until) await pause(until - Date.now());
	for (let attempt = 0; Date.now() < until + graceMs; attempt++) {
		const state = await callRun({ helpers }, run.url, run, run.url, record);
		if (state === 'accepted' || isEnded(state)) return;
		await pause(Math.min(50 * 2 ** attempt, maxPauseMs));
	}
}

/** Removes a registration. Does not throw: if it cannot be removed now, one of the next questions removes it. */
export async function unregister(
	context: Pick<IExecuteFunctions | IWebhookFunctions, 'logger'>,
	client: Client,
	url: string,
	id?: string,
): Promise<void> {
	try {
		const listed = id === undefined ? await listWebhooks(client) : [];
		const found = listed.filter((webhook) => webhook.url === url && webhook.id !== undefined);
		await removeWebhooks(client, id === undefined ? found : [{ id }]);
	} catch (error) {
		const { message } = asFailure(error);
		writeLog(context, `A webhook could not be removed at the service: ${message}`);
	}
}
