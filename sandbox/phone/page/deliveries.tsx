/** The deliveries to webhooks, e.g. to n8n, and the responses to them. */
import type { Delivery } from '../../deliveries';
import type { Webhook } from '../../state/webhooks';
import { useLive } from './live';
import { Problem, timeOf } from './parts';

export function Deliveries({ webhooks }: { webhooks?: Webhook[] }) {
	const { data: log, error } = useLive<{ data: Delivery[] }>('/deliveries?last=200');
	return (
		<section
			class="deliveries col-12 col-xl-3 d-flex flex-column border-start bg-body"
			aria-label="Deliveries to webhooks"
		>
			<header class="border-bottom px-3 py-2">
				<h2 class="fw-bold">Deliveries</h2>
				<p class="small text-body-secondary">
					What the service delivered to webhooks, e.g. n8n, and how they responded.
				</p>
			</header>
			<div
				class="flex-fill overflow-auto"
				tabIndex={0}
				role="group"
				aria-label="Webhooks and deliveries, to scroll"
			>
				<Problem error={error} />
				{webhooks && <Webhooks webhooks={webhooks} />}
				<ol>
					{log?.data.toReversed().map((delivery) => (
						<Row key={delivery.id} {...delivery} />
					))}
				</ol>
			</div>
		</section>
	);
}

function Webhooks({ webhooks }: { webhooks: Webhook[] }) {
	const count = webhooks.length;
	if (count === 0)
		return (
			<p class="alert alert-info m-2">
				No webhook is registered. In n8n, publish a workflow that starts with the Business Messaging
				Trigger.
			</p>
		);
	return (
		<div class="small text-body-secondary text-break p-3">
			<h3 class="fw-bold">{count === 1 ? '1 webhook listens' : `${count} webhooks listen`}</h3>
			{webhooks.map(({ id, url, events }) => (
				<p key={id} title={withoutQuery(url)}>
					{receiverOf(url)}: {events.join(', ')}
				</p>
			))}
		</div>
	);
}

const colours = {
	pending: 'text-bg-warning',
	delivered: 'text-bg-success',
	failed: 'text-bg-danger',
	cancelled: 'text-bg-secondary',
};

function Row({ event, data, state, attempts, createdAt }: Delivery) {
	const last = attempts.at(-1);
	const answer = last ? (last.status ?? 'No answer') : 'Pending';
	return (
		<li class="border-top px-3 py-2 small text-break">
			<div class="d-flex justify-content-between gap-2">
				<strong>{event}</strong>
				<time class="text-nowrap" dateTime={createdAt}>
					{timeOf(createdAt)}
				</time>
			</div>
			<span class={`badge ${colours[state]}`}>{state === 'cancelled' ? 'Cancelled' : answer}</span>{' '}
			{(data.from ?? data.to) as string | undefined}
			{attempts.length > 1 && ` · ${attempts.length} attempts`}
			{last?.error && ` · ${last.error}`}
		</li>
	);
}

/** An address without its query, which may hold a receiver's secret. */
const withoutQuery = (url: string) => url.replace(/\?.*/, '');

/** The receiver at an address, judging by the paths that n8n uses. */
function receiverOf(url: string): string {
	const { host, pathname } = new URL(url);
	const kinds: Array<[RegExp, string]> = [
		[/^\/webhook-test\//, 'a test in the editor of n8n'],
		[/^\/webhook-waiting\//, 'a run of n8n that waits for a reply'],
		[/^\/webhook\//, 'a published workflow of n8n'],
	];
	const kind = kinds.find(([path]) => path.test(pathname))?.[1];
	return kind ?? host;
}
