/** The URLs by which Send and Wait, triggers and waiting runs of one n8n reach each other. */

/** The address of the n8n to which a URL of a webhook or of a waiting execution belongs, with a slash at the end. */
export function rootOf(url: string): string {
	const { origin, pathname } = new URL('../..', url);
	return `${origin}${pathname}`;
}

/** Whether a URL resumes an execution of ours that waits at the n8n of another URL: a trigger's or a run's. */
export function isWaitingUrl(url: string, own: string): boolean {
	// A node without a webhook ID has its workflow's ID and its name in the URL.
	const roots = [own, own.replace(/\/[^/]+$/, '')].map(rootOf);
	const form = /^[\w-]+\/\w+\/[^/?]+\?(?=.*\bwait=[\w-]{11})(?=.*\bsignature=)/;
	return roots.some((root) => isBelow(url, root) && form.test(url.slice(root.length)));
}

/**
 * Whether a registered URL may be that of a trigger of ours, at the n8n of a waiting execution: with our secret, or registered by
 * hand.
 */
export function isTriggerUrl(url: string, waitingUrl: string): boolean {
	const root = rootOf(waitingUrl);
	const form = /^(?!webhook-test\/)[^?]+\/webhook(\?.*)?$/;
	return isBelow(url, root) && form.test(url.slice(root.length));
}

/** Whether a URL is below another one, also after normalization: no `..` may lead elsewhere. */
function isBelow(url: string, root: string): boolean {
	return url.startsWith(root) && URL.canParse(url) && new URL(url).href === url;
}

/** A URL without its query: the name of a trigger. */
export function withoutQuery(url: string): string {
	return url.split('?', 1)[0];
}
