/** The URLs by which Send and Wait, triggers and waiting runs of one n8n reach each other. */

/** The address, with a slash at the end, of the n8n to which a URL belongs: that of a webhook or of a waiting execution. */
export function rootOf(url: string): string {
	const { origin, pathname } = new URL('../..', url);
	return `${origin}${pathname}`;
}

/** Whether a URL resumes an execution of ours that waits at this n8n. `own` is the URL of a trigger or a run of this n8n. */
export function isWaitingUrl(url: string, own: string): boolean {
	// For a node without a webhook ID, the URL also contains the ID of the workflow and the name of the node.
	const roots = [own, own.replace(/\/[^/]+$/, '')].map(rootOf);
	const form = /^[\w-]+\/\w+\/[^/?]+\?(?=.*\bwait=[\w-]{11})(?=.*\bsignature=)/;
	return roots.some((root) => isBelow(url, root) && form.test(url.slice(root.length)));
}

/**
 * Whether a registered URL may belong to a trigger of ours at the n8n of a waiting execution: it has our secret, or was
 * registered by hand.
 */
export function isTriggerUrl(url: string, waitingUrl: string): boolean {
	const root = rootOf(waitingUrl);
	const form = /^(?!webhook-test\/)[^?]+\/webhook(\?.*)?$/;
	return isBelow(url, root) && form.test(url.slice(root.length));
}

/** Whether a URL is below another one. It must not change in normalization: no `..` may lead elsewhere. */
function isBelow(url: string, root: string): boolean {
	return url.startsWith(root) && URL.canParse(url) && new URL(url).href === url;
}

/** A URL without its query: the name of a trigger. */
export function withoutQuery(url: string): string {
	return url.split('?', 1)[0];
}
