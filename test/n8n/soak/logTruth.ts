/** What the campaign log says about messages that may have been sent, beside what was under way when processes were ended. */
import max from 'lodash/max';
import partition from 'lodash/partition';
import sum from 'lodash/sum';
import sumBy from 'lodash/sumBy';
import { rowsOfTable } from '../../../harness/n8n/database';
import type { Mailing } from './mailing';
import type { Shop } from './shop';

/** A row of the campaign log whose message may have been sent. */
interface UncertainRow {
	campaign: string;
	phone: string;
	status: string;
}

async function readUncertain({ machine: { database } }: Shop): Promise<UncertainRow[]> {
	const isUncertain = "status IN ('sending', 'mayHaveBeenSent')";
	const rows = await rowsOfTable(database, 'Business Messaging Campaigns', isUncertain);
	return rows as unknown as UncertainRow[];
}

/** The campaign log of a shop. */
export class LogTruth {
	/** How many messages were under way when processes were ended: their claims were in the log. */
	private readonly underWay: number[] = [];
	private left: UncertainRow[] = [];
	private uncertain: UncertainRow[] = [];

	constructor(private readonly shop: Shop) {}

	/** Counts the claims in the log when a process has ended. */
	async countClaims(): Promise<void> {
		const rows = await readUncertain(this.shop);
		this.underWay.push(rows.filter(({ status }) => status === 'sending').length);
	}

	/** Reads the log after everything has ended. People whom it names count as named. */
	async read(mailings: Mailing[]): Promise<void> {
		const rows = await readUncertain(this.shop);
		[this.left, this.uncertain] = partition(rows, ({ status }) => status === 'sending');
		for (const { campaign, phone } of rows)
			mailings.find(({ text }) => text === campaign)?.named.add(phone);
	}

	/** What is wrong: claims that no end of a process explains. */
	faults(): string[] {
		const most = sum(this.underWay);
		const left = this.left.length;
		return left > most ? [`${left} claims are left, but ${most} messages were under way.`] : [];
	}

	/** How many messages are uncertain, of how many; and how many were under way at the ends of processes. */
	sizes(mailings: Mailing[]) {
		const campaigns = mailings.filter(({ kind }) => kind === 'campaign');
		return {
			wanted: sumBy(campaigns, ({ wanted }) => wanted.size),
			...{ claimsLeft: this.left.length, mayHaveBeenSent: this.uncertain.length },
			...{ underWayAtEnds: sum(this.underWay), mostAtOneEnd: max(this.underWay) ?? 0 },
		};
	}
}
