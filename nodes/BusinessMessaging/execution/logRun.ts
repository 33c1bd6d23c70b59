/**
 * The part of a run in the campaign log. Runs for a few people each share their claims, looks and results: each call of
 * the table costs n8n about as much as a message. docs/adr/0014-campaign-log.md
 */
import { randomUUID } from 'crypto';
import { maxBy, uniq } from 'lodash';
import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { lastDigits } from '../phone/compare';
import { CampaignClaims } from './campaignClaims';
import type { ClaimSettings } from './claim';
import type { Wish } from './campaignLog';
import type { TableCaller } from './dataTable';
import { CampaignReader, PeopleReader } from './logReader';
import { openLogTable } from './logTable';

/** The most people of a run that shares its calls. */
const fewPeople = 5;

/** A run that can carry calls of the table. */
interface Carrier {
	context: IExecuteFunctions;
	/** When n8n ends the execution, and all its calls, ms since 1970; Infinity without a timeout. */
	endsAt: number;
}

/** The open runs that share their calls. Each call belongs to one of them, and n8n ends it with that one. */
class Carriers implements TableCaller {
	private readonly open = new Set<Carrier>();

	get size(): number {
		return this.open.size;
	}

	add(carrier: Carrier): void {
		this.open.add(carrier);
	}

	delete(carrier: Carrier): void {
		this.open.delete(carrier);
	}

	/** Runs a sub-workflow in the run that n8n ends last. */
	readonly executeWorkflow: TableCaller['executeWorkflow'] = async (...call) => {
		const carrier = maxBy([...this.open], 'endsAt');
		if (!carrier) throw new Error('The execution has ended');
		return await carrier.context.executeWorkflow(...call);
	};
}

/** When n8n's timeout ends an execution, ms since 1970; Infinity if it has none. n8n has no function that says it. */
export function endOf(context: IExecuteFunctions): number {
	const { additionalData } = context as {
		additionalData?: { executionTimeoutTimestamp?: unknown };
	};
	const time = additionalData?.executionTimeoutTimestamp;
	return typeof time === 'number' ? time : Infinity;
}

const settings: ClaimSettings = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	pause: sleep,
	newKey: () => randomUUID().replaceAll('-', ''),
};

interface Shared {
	carriers: Carriers;
	claims: Promise<CampaignClaims>;
}

/** What the open runs of a workflow share, by its ID. */
const shared = new Map<string, Shared>();

/** The claims of a run, and what ends its part in them. */
export interface LogRun {
	claims: CampaignClaims;
	leave: () => void;
}

/** Opens the campaign log for the messages of a run. @throws InputError, or Error if the log cannot be read */
export async function openLogRun(
	context: IExecuteFunctions,
	execution: string,
	wishes: Wish[],
): Promise<LogRun> {
	const people = uniq(wishes.map(({ phone }) => lastDigits(phone)));
	if (people.length <= fewPeople) return await join(context);
	const table = await openLogTable(context, false);
	const reader = new CampaignReader(table, execution);
	await reader.read(wishes);
	const claims = new CampaignClaims(reader, table, settings);
	claims.removeSuperseded(reader.known, execution);
	return { claims, leave: () => undefined };
}

async function join(context: IExecuteFunctions): Promise<LogRun> {
	const id = String(context.getWorkflow().id);
	const carrier = { context, endsAt: endOf(context) };
	const group = shared.get(id) ?? { carriers: new Carriers(), claims: open(context) };
	shared.set(id, group);
	group.carriers.add(carrier);
	const leave = () => {
		group.carriers.delete(carrier);
		if (group.carriers.size === 0 && shared.get(id) === group) shared.delete(id);
	};
	return await group.claims.then(
		(claims) => ({ claims, leave }),
		(error: unknown) => {
			leave();
			throw error;
		},
	);

	async function open(first: IExecuteFunctions): Promise<CampaignClaims> {
		await Promise.resolve(); // until this run is one of the carriers
		const carriers = shared.get(id)?.carriers ?? first;
		const table = await openLogTable(carriers, false);
		return new CampaignClaims(new PeopleReader(table), table, settings);
	}
}
