/** The URLs by which Send and Wait, triggers and waiting runs of one n8n reach each other. */
import { uniq } from 'lodash';

import { readOwnUrl } from '../webhooks/secret';

/** The address of the n8n to which the URL of a webhook or a waiting execution belongs, with a slash at the end. */
export function rootOf(url: string): string {
	const { origin, pathname } = new URL('../..', url);
	return `${origin}${pathname}`;
}

/** The ID of the execution that a URL resumes. */
export function executionOf(url: string): string {
	return new URL(url).pathname.split('/').at(-2) ?? '';
}

/** Whether a URL resumes an execution of ours at this n8n. `own` is the URL of a trigger or a run of this n8n. */
export function isWaitingUrl(url: string, own: string): boolean {
	// For a node without a webhook ID, the URL also contains the ID of the workflow and the name of the node.
	const roots = [own, own.replace(/\/[^/]+$/, '')].map(rootOf);
	const form = /^[\w-]+\/\w+\/[^/?]+\?(?=.*\bwait=[\w-]{11})(?=.*\bsignature=)/;
	return roots.some((root) => isBelow(url, root) && form.test(url.slice(root.length)));
}

/** Whether a URL without a secret is that of a trigger of ours at this n8n. `own` as in isWaitingUrl. */
export function isTriggerUrl(url: string, own: string): boolean {
	const form = /^(?!webhook-test\/)[^?]+\/webhook$/;
	const root = rootOf(own);
	return isBelow(url, root) && form.test(url.slice(root.length));
}

/** The triggers of one n8n: those that keep the replies, and the others. URLs without secrets. */
export interface Triggers {
	inboxes: string[];
	others: string[];
}

/** The triggers of this n8n, except `own`. A URL without our secret is left out, since it may be somebody else's. */
export function triggersAmong(registered: Array<string | undefined>, own: string): Triggers {
	const ours = registered
		.map((url = '') => readOwnUrl(url))
		.filter((one) => one !== undefined)
		.filter(({ url }) => url !== own && isTriggerUrl(url, own));
	const urlsOf = (isInbox: boolean) =>
		ours.filter(({ keepsReplies }) => keepsReplies === isInbox).map(({ url }) => url);
	return { inboxes: uniq(urlsOf(true)), others: uniq(urlsOf(false)) };
}

/** Whether a URL is below another one. It must not change in normalization: no `..` may lead elsewhere. */
function isBelow(url: string, root: string): boolean {
	return url.startsWith(root) && URL.canParse(url) && new URL(url).href === url;
}
