/** Which URLs belong to triggers and waiting runs of the same n8n. */
import {
	isTriggerUrl,
	isWaitingUrl,
	rootOf,
	triggersAmong,
} from '../../../nodes/BusinessMessaging/inbox/urls';

const wait = 'wait=AAAAAAAAAAA';
const signed = `${wait}&signature=abc`;

const root = 'https://n8n.test/team/';
const own = `${root}webhook-waiting/1/node?${signed}`;
const named = `${root}webhook-waiting/1/workflow/node?${signed}`;
const trigger = `${root}webhook/a/webhook`;

test.each(['https://n8n.test/', root, 'http://n8n.test:5678/'])(
	'the address of the n8n is %s',
	(address) => {
		const run = own.replace(root, address);
		const called = trigger.replace(root, address);
		expect([rootOf(run), rootOf(called)]).toEqual([address, address]);
		expect([isWaitingUrl(run, called), isTriggerUrl(called, run)]).toEqual([true, true]);
	},
);

test.each([
	own,
	`${root}webhook-waiting/23/other-node?signature=abc&${wait}`,
	`${root}hook/23/node?a=b&${signed}`,
	`${root}webhook-waiting/1/node?wait=AAAAAAAAAAA.person&signature=abc`,
])('%s is the URL of a run', (url) => {
	for (const one of [own, trigger, named]) expect(isWaitingUrl(url, one)).toBe(true);
});

test.each([
	`https://evil.test/webhook-waiting/1/node?${signed}`,
	`${root}webhook-waiting/1/node?${wait}`,
	`${root}webhook-waiting/1/node?signature=abc`,
	`${root}webhook-waiting/1/node?wait=AAAAAAAAAA&signature=abc`,
	`${root}webhook-waiting/1/node?await=AAAAAAAAAAA&signature=abc`,
	`${root}webhook-waiting/1/node?${wait}&my_signature=abc`,
	`${root}webhook-waiting/1/node`,
	`${root}webhook-waiting/1?${signed}`,
	`${root}webhook-waiting/1/?${signed}`,
	`${root}webhook-waiting//node?${signed}`,
	`${root}webhook-waiting/a-b/node?${signed}`,
	`${root}a/webhook-waiting/1/node?${signed}`,
	`${root}webhook-waiting/1/a/node?${signed}`,
	`${root}../webhook-waiting/1/node?${signed}`,
	`${root}webhook-waiting/1/..?${signed}`,
	'',
	'webhook-waiting',
])('%s is not the URL of a run', (url) => {
	for (const one of [own, trigger]) expect(isWaitingUrl(url, one)).toBe(false);
});

test.each([
	trigger,
	`${root}webhook/a/b/webhook`,
	`${root}hooks/webhook`,
	`${root}webhook-testing/a/webhook`,
])('%s is the URL of a trigger', (url) => {
	expect(isTriggerUrl(url, own)).toBe(true);
});

test.each([
	`${root}webhook-test/a/webhook`,
	`${trigger}?token=secret`,
	`${trigger}/more`,
	`${trigger}s`,
	`${root}webhook`,
	`${root}?/webhook`,
	`${root}a/hook?/webhook`,
	`${root}webhook/../webhook`,
	'https://evil.test/webhook/a/webhook',
	'',
])('%s is not the URL of a trigger', (url) => {
	expect(isTriggerUrl(url, own)).toBe(false);
});
test('only triggers of the same n8n with a secret of ours are called, and the mark shows the inbox', () => {
	const secret = 'a'.repeat(43);
	const at = (url: string, query: string) => `${url}?${query}`;
	const own = 'https://n8n.test/webhook/own/webhook';
	const found = triggersAmong(
		[
			at('https://n8n.test/webhook/a/webhook', `token=${secret}`),
			at('https://n8n.test/webhook/b/webhook', `inbox=${secret}`),
			at('https://n8n.test/webhook/c/webhook', 'token=secret'),
			at('https://n8n.test/webhook/d/webhook', `inbox=${secret}&more=1`),
			at('https://evil.test/webhook/e/webhook', `inbox=${secret}`),
			at('https://n8n.test/webhook-test/f/webhook', `inbox=${secret}`),
			at(own, `inbox=${secret}`),
			'https://n8n.test/webhook/g/webhook',
			undefined,
		],
		own,
	);
	expect(found).toEqual({
		inboxes: ['https://n8n.test/webhook/b/webhook'],
		others: ['https://n8n.test/webhook/a/webhook'],
	});
});
