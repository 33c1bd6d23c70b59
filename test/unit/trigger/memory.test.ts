/** What n8n stores of the triggers of a workflow, while older copies are written back by whoever has read them before. */
import fc from 'fast-check';
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { TriggerMemories } from '../../../nodes/BusinessMessaging/trigger/memory';
import type { Kept, Response } from '../../../nodes/BusinessMessaging/webhooks/kept';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const start = Date.parse('2030-01-31T10:20:30Z');
const nodes = ['A', 'B'];

/** What happens at the same moments. Each step has a number for the process and one for the trigger. */
type Kind = 'event' | 'registered' | 'found' | 'replied' | 'nothing' | 'publish' | 'execution';
interface Step {
	kind: Kind;
	process: number;
	node: string;
	/** How many of the later steps begin before this one ends. */
	length: number;
}

/** A part that a delivery changes while n8n handles it, as the inbox does. */
class Replies implements Kept {
	private known = new Set<string>();
	private readonly changed = new WeakSet<Response>();

	merge(stored: unknown): void {
		for (const one of (stored as string[] | undefined) ?? []) this.known.add(one);
	}

	add(reply: string, response: Response): void {
		this.known.add(reply);
		this.changed.add(response);
	}

	isBehind(_stored: unknown, response: Response): boolean {
		return this.changed.has(response);
	}

	live() {
		return this.known.size > 0 ? { toJSON: () => [...this.known].sort() } : undefined;
	}
}

/** An n8n: its database, and processes that remember. */
class World {
	stored: IDataObject = {};
	private readonly processes = [new TriggerMemories(), new TriggerMemories()];
	private count = 0;

	private contextOf(node: string, data: IDataObject, response?: Response) {
		return {
			getWorkflow: () => ({ id: 'workflow' }),
			getNode: () => ({ id: node }),
			getMode: () => 'webhook',
			getWorkflowStaticData: () => data,
			getResponseObject: () => response,
		} as unknown as IWebhookFunctions & IHookFunctions;
	}

	private memoryOf(process: number, context: IWebhookFunctions) {
		const memory = this.processes[process].of(context);
		if (!(memory.inbox instanceof Replies)) Object.assign(memory, { inbox: new Replies() });
		return memory;
	}

	/** Begins a step. @returns ends it */
	async begin({ kind, process, node }: Step): Promise<() => void> {
		const name = `${++this.count}`.padStart(11, '_');
		// Two processes do not register a trigger in the same millisecond.
		jest.spyOn(Date, 'now').mockReturnValue(start + this.count);
		const read = JSON.stringify(this.stored);
		const data = JSON.parse(read) as IDataObject;
		// An execution of the workflow that changes static data writes back the rest as it had read it.
		if (kind === 'execution') return () => (this.stored = { ...data, other: name });
		const response = { writableEnded: false, statusCode: 200 } as Response & object;
		const context = this.contextOf(node, data, response);
		const memory = this.memoryOf(process, context);
		memory.read(context);
		const replies = memory.inbox as unknown as Replies;
		const url = `https://n8n.example.com/webhook/${name}/webhook`;
		if (kind === 'event') await memory.events.withoutDuplicates(response, [{ key: name }]);
		if (kind === 'registered' || kind === 'publish')
			memory.registration.set({ url, secretHash: name, secretVersion: 1, madeAt: 1 }, false);
		if (kind === 'found') memory.inboxUrl.set(url);
		if (kind === 'replied') replies.add(name, response);
		return () => {
			if (kind === 'publish') memory.save(context);
			else memory.write(context, false);
			// n8n writes only what was changed, as it is then.
			if (kind === 'publish' || JSON.stringify(data) !== read)
				this.stored = JSON.parse(JSON.stringify(data)) as IDataObject;
			Object.assign(response, { writableEnded: true });
		};
	}

	/** The last delivery of a process to each trigger. */
	async finish(process: number, kind: Kind, all = nodes): Promise<void> {
		for (const node of all) (await this.begin({ kind, process, node, length: 0 }))();
	}

	/** What a process remembers of everything. */
	remembered(process: number) {
		const all: IDataObject = {};
		for (const node of nodes) {
			const context = this.contextOf(node, all);
			this.memoryOf(process, context).save(context);
		}
		return JSON.parse(JSON.stringify(all)) as IDataObject;
	}
}

const steps = fc.array(
	fc.record<Step>({
		kind: fc.constantFrom<Kind[]>(
			...(['event', 'registered', 'found', 'replied', 'nothing', 'publish', 'execution'] as const),
		),
		process: fc.nat(1),
		node: fc.constantFrom(...nodes),
		length: fc.nat(4),
	}),
	{ maxLength: 20 },
);

/** Carries out steps that overlap: each ends when the next ones have begun, however long the others take. */
async function run(world: World, all: Step[]): Promise<void> {
	const open: Array<{ end: () => void; left: number }> = [];
	for (const step of all) {
		open.push({ end: await world.begin(step), left: step.length + 1 });
		for (const one of [...open]) {
			one.left--;
			if (one.left > 0) continue;
			open.splice(open.indexOf(one), 1);
			one.end();
		}
	}
	for (const { end } of open) end();
}

const values = (stored: IDataObject, part: string) =>
	Object.fromEntries(Object.entries(stored).filter(([name]) => name.startsWith(`${part} `)));

test(`whoever writes back older copies, n8n holds what the triggers remember after their last deliveries (TEST_SEED=${seed})`, async () => {
	await fc.assert(
		fc.asyncProperty(steps, fc.nat(1), async (all, last) => {
			const world = new World();
			await run(world, all);
			// Each process has a delivery, so that all know what the others do. One trigger stores what the other knows, too.
			await world.finish(1 - last, 'event');
			await world.finish(last, 'nothing');
			await world.finish(last, 'event', ['A']);
			expect({ ...world.stored, other: undefined }).toEqual({
				...world.remembered(last),
				other: undefined,
			});
		}),
		{ numRuns: 150, seed },
	);
});

test(`registrations and the URL of the inbox are restored even by a delivery that changes nothing (TEST_SEED=${seed})`, async () => {
	await fc.assert(
		fc.asyncProperty(steps, fc.nat(1), async (all, last) => {
			const world = new World();
			await run(world, all);
			for (const process of [1 - last, last]) await world.finish(process, 'nothing');
			const remembered = world.remembered(last);
			for (const part of ['registrations', 'inboxUrl'])
				expect(values(world.stored, part)).toEqual(values(remembered, part));
		}),
		{ numRuns: 150, seed },
	);
});

test(`what one process has learned, every process knows in the end (TEST_SEED=${seed})`, async () => {
	await fc.assert(
		fc.asyncProperty(steps, async (all) => {
			const world = new World();
			await run(world, all);
			for (const process of [0, 1, 0]) await world.finish(process, 'event');
			await world.finish(1, 'nothing');
			for (const part of ['registrations', 'inboxUrl', 'inbox', 'recentEvents']) {
				const [one, other] = [0, 1].map((process) => values(world.remembered(process), part));
				expect(sorted(one)).toEqual(sorted(other));
			}
		}),
		{ numRuns: 150, seed },
	);
});

/** The entries of each text in a fixed order. */
function sorted(stored: IDataObject): unknown {
	const entriesOf = (value: unknown) =>
		typeof value === 'string' ? value.split(' ').sort() : value;
	return Object.fromEntries(Object.entries(stored).map(([name, one]) => [name, entriesOf(one)]));
}
