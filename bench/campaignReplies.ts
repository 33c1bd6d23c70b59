/** A part of `npm run bench:campaign`: single messages during a campaign that uses up the rate. */
import { setTimeout as delay } from 'node:timers/promises';

import range from 'lodash/range';
import { step } from '../harness/cli';
import type { N8nServer } from '../harness/n8n/server';
import { numbersOf, type Rate, SandboxProcess } from '../harness/sandboxClient';
import { createCampaign, send } from './campaignRun';

/** A campaign, and how many replies are sent meanwhile, so long after each other, ms. `mostRatio` is for the campaign. */
export interface ReplySettings {
	messages: number;
	rate: Rate;
	/** How long the service takes to respond, ms. */
	latencyMs: number;
	replies: number;
	pauseMs: number;
	mostRatio: number;
}

/** How much longer than a window of the rate a reply may take, seconds: n8n starts an execution, and checks it only now and then. */
const executionSeconds = 5;

/**
 * Sends a campaign, and single messages to other people meanwhile, each by an execution of its own. A campaign that uses
 * up the rate leaves no room before its first messages are one window old.
 */
export async function measureReplies(n8n: N8nServer, settings: ReplySettings) {
	const { messages, rate, latencyMs, replies, pauseMs, mostRatio } = settings;
	const all = messages + replies;
	const windowSeconds = rate.windowMs / 1000;
	return await SandboxProcess.during({ rate, latencyMs }, async (service) => {
		const sender = 'business-messaging';
		const campaign = await createCampaign(n8n, service, { sender, messages, rate });
		const single = async (index: number) =>
			await createCampaign(n8n, service, { sender, from: messages + index, messages: 1, rate });
		const workflows = await Promise.all(range(replies).map(single));
		await service.reset();
		const title = `${messages} messages, and ${replies} replies meanwhile`;
		const [sending, ...singles] = await step(title, async () => {
			const running = send(n8n, campaign);
			const late = workflows.map(async (id, index) => {
				// The first window is full by then.
				await delay(2 * pauseMs + index * pauseMs);
				return await send(n8n, id);
			});
			return await Promise.all([running, ...late]);
		});
		const traffic = await service.traffic(numbersOf({ from: 0, count: all }));
		const best = (Math.ceil(all / rate.requests) - 1) * windowSeconds;
		const row = {
			...{ perMinute: (rate.requests / rate.windowMs) * 60_000, messages, replies },
			replySeconds: Math.max(...singles.map(({ seconds }) => seconds)),
			mostReplySeconds: windowSeconds + executionSeconds,
			...{ seconds: sending.seconds, best, ratioToBest: sending.seconds / best },
			...traffic,
		};
		const { lost, doubled, replySeconds, mostReplySeconds, ratioToBest } = row;
		const faults = [];
		if (lost + doubled > 0) faults.push(`${lost} messages were lost, ${doubled} doubled.`);
		if (replySeconds > mostReplySeconds)
			faults.push(`A reply during a campaign took ${replySeconds.toFixed(1)} s.`);
		if (ratioToBest > mostRatio)
			faults.push(`With replies, a campaign takes ${ratioToBest.toFixed(2)} times the best time.`);
		return { row, faults };
	});
}
