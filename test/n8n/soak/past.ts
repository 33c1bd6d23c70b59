/** The data that a shop has after a month: a history of campaigns, people who opted out, and questions that nobody answers. */
import { fillCampaignLog } from '../../../harness/n8n/database';
import { FIRST_NUMBER } from '../../../harness/sandboxClient';
import { askForNothing } from './day';
import { OPTED_OUT, type Shop } from './shop';
import type { Truth } from './truth';

const MESSAGES = 100_000;
const OPT_OUTS = 20_000;
const OPEN_QUESTIONS = 500;
/** The first number of people who have opted out; it is behind the numbers of all people who get messages. */
const OPTED_OUT_FROM = 2_000_000;
/** The first number of people who got an earlier campaign. */
const SENT_FROM = 3_000_000;

/** Fills the shop with this data. @returns the end of the questions, which stay open for this number of minutes */
export async function fillPast(
	shop: Shop,
	truth: Truth,
	minutes: number,
): Promise<{ ended: Promise<void> }> {
	const { contacts } = shop.sandbox.state;
	for (let index = 0; index < OPT_OUTS; index++) {
		const phone = `+${FIRST_NUMBER + OPTED_OUT_FROM + index}`;
		contacts.create({ phone, segments: [OPTED_OUT] });
		truth.optedOutBefore.add(phone);
	}
	const [excluded] = truth.optedOutBefore;
	const first = { text: 'The first campaign', from: SENT_FROM, count: 1, excluded };
	await shop.run('campaign', first); // creates the log
	await fillCampaignLog(shop.machine.database, MESSAGES, FIRST_NUMBER + SENT_FROM);
	return await askForNothing(shop, truth, { count: OPEN_QUESTIONS, minutes });
}
