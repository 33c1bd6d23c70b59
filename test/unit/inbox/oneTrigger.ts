/** n8n with one trigger: a clock that the test moves, what n8n has stored, and all calls. */
import type { Person, Run, RunState } from '../../../nodes/BusinessMessaging/inbox/core';
import { Inbox } from '../../../nodes/BusinessMessaging/inbox/inbox';
import type {
	CallResult,
	Delivery,
	InboxPorts,
	TriggerRequest,
} from '../../../nodes/BusinessMessaging/inbox/ports';
import { Clock } from './clock';
import { own } from './parts';

/** A delivery that ends when the test says so. */
export interface OpenDelivery extends Delivery {
	/** Whether something is to be stored. */
	isStoring(): boolean;
	/** n8n stores what there is to store. */
	write(): void;
	/** n8n responds, after it has stored what there is to store. */
	end(how?: 'received' | 'lost' | 'failed'): void;
}

export class OneTrigger extends Clock implements InboxPorts {
	/** What n8n has stored with the trigger. */
	stored: Record<string, string> | undefined;
	/** The calls of triggers. */
	readonly calls: Array<{ at: number; url: string; request: TriggerRequest }> = [];
	/** The calls of runs; those without a record ask whether the run still waits. */
	readonly runCalls: Array<{ at: number; run: Run; record?: string }> = [];
	readonly repeated: Array<{ to: string; key: string }> = [];
	readonly warnings: string[] = [];
	/** What calls of triggers result in. By default, this trigger responds, and the others accept everything. */
	answer?: (url: string, request: TriggerRequest) => CallResult | Promise<CallResult>;
	state: () => RunState | Promise<RunState> = () => 'waiting';
	canRepeat: () => boolean | Promise<boolean> = () => true;
	inbox = new Inbox(own, this);
	private sealed = 0;

	async callTrigger(url: string, request: TriggerRequest): Promise<CallResult> {
		this.calls.push({ at: this.time, url, request });
		if (this.answer) return await this.answer(url, request);
		return url === own ? await this.receive(request) : { inbox: 'yes' };
	}

	/** A call of the trigger: what it responds. */
	async receive(request: TriggerRequest) {
		const delivery = this.delivery();
		this.inbox.known.load(delivery);
		const response = await this.inbox.respond(delivery, request);
		delivery.end();
		return response;
	}

	delivery(hasSucceeded = async () => true): OpenDelivery {
		let live: unknown;
		let resolve: (how: 'received' | 'lost' | 'failed') => void;
		let isWritten = false;
		const write = () => {
			if (live && !isWritten) this.stored = JSON.parse(JSON.stringify({ live })).live;
			isWritten = true;
		};
		const ended = new Promise<'received' | 'lost' | 'failed'>((done) => (resolve = done));
		return {
			stored: this.stored && { ...this.stored },
			store: (value) => (live = value),
			isStoring: () => live !== undefined,
			write,
			end: (how = 'received') => {
				write();
				resolve(how);
			},
			...{ ended, hasSucceeded },
		};
	}

	/** Another process of n8n begins, with what n8n has stored. */
	restart(): void {
		this.forgetPauses();
		this.inbox = new Inbox(own, this);
		this.inbox.known.load(this.delivery());
	}

	seal(record: string): string {
		return `${String(++this.sealed).padStart(16, '0')}${record}`;
	}

	unseal(text: string): string | undefined {
		return text.startsWith('another key') ? undefined : text.slice(16);
	}

	async callRun(run: Run, record?: string): Promise<RunState> {
		this.runCalls.push({ at: this.time, run, record });
		return await this.state();
	}

	async repeat(_: Run, { to }: Person, key: string): Promise<boolean> {
		this.repeated.push({ to, key });
		return await this.canRepeat();
	}

	warn(message: string): void {
		this.warnings.push(message);
	}

	/** The kinds of calls so far, each with its time in seconds. */
	callTimes(is: TriggerRequest['is'], url = own): number[] {
		const calls = this.calls.filter((call) => call.request.is === is && call.url === url);
		return calls.map(({ at }) => at / 1_000);
	}
}
