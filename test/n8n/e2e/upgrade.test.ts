/** A newer version replaces the package while questions wait, a campaign is unfinished and a trigger listens. */
import { symlink } from 'node:fs/promises';
import path from 'node:path';

import { sync } from 'execa';
import { countBy, range } from 'lodash';

import { packFolder } from '../../../harness/n8n/packProject';
import { runCommand } from '../../../harness/processes';
import { root } from '../../../harness/engine/files';
import { manualTrigger, useN8n, workflowOf } from '../../../harness/useN8n';

/** The tag of the last release; empty until there is one: a version that was never released need not be upgraded. */
const release = sync('git', ['tag', '--list', 'v*', '--sort=-v:refname'], {
	cwd: root,
}).stdout.split('\n')[0];

/** The package of a commit. @throws Error if this clone does not have the commit */
async function packCommit(commit: string): Promise<string> {
	const source = path.join(String(process.env.TEST_TEMP_FOLDER), 'earlier');
	const unpack = `mkdir "$0" && git archive ${commit} | tar -x -C "$0"`;
	const command = ['-c', `set -o pipefail; ${unpack}`, source];
	await runCommand('bash', command, { cwd: root, limit: 60_000 }).catch((error: Error) => {
		throw new Error(
			`The commit ${commit} is not in this clone (${error.message}). Get it with git fetch --unshallow.`,
		);
	});
	await symlink(path.join(root, 'node_modules'), path.join(source, 'node_modules'));
	await runCommand('npm', ['run', 'build'], { cwd: source, limit: 5 * 60_000 });
	return await packFolder(source, source);
}

const n8n = useN8n(async () => await packCommit(release));
const people = range(300).map((n) => `+1555${3_000_000 + n}`);
const asked = range(3).map((n) => `+1555${4_000_000 + n}`);

const testUpgrade = release ? test : test.skip;
testUpgrade(
	'questions, a campaign with Send Once and a trigger continue with the new package',
	async () => {
		const { client, sandbox } = n8n;
		const inbox = await n8n.publishInbox();
		const parameters = {
			...{ resource: 'message', operation: 'sendText', to: '={{ $json.phone }}', text: 'Sale!' },
			...{ sendOnce: true, campaign: 'sale' },
		};
		const items = people.map((phone) => ({ phone }));
		const file = workflowOf(n8n.playground, items, parameters);
		const { id: campaign } = await client.createWorkflow(file);
		await n8n.fault({ endpoint: 'sendText', match: people[150], status: 422 });
		const runCampaign = async () =>
			await client.waitForExecution(await client.run(campaign, manualTrigger), 120_000);
		expect((await runCampaign()).status).toBe('error');
		const waiting = await n8n.ask(asked);
		const before = [n8n.write(asked[0], 'first'), n8n.write('+15550001111', 'Hello')].flatMap(
			({ deliveries }) => deliveries,
		);
		await n8n.untilDelivered(before);
		// The data of deliveries at the same moment is stored with the next delivery.
		await n8n.untilDelivered(n8n.write('+15550001112', 'Hello?').deliveries);

		await n8n.playground.reload();

		const { webhooks, deliveries, messages } = sandbox.state;
		const again = before.map(({ event, data }) => deliveries.deliver(webhooks.all[0], event, data));
		await n8n.untilDelivered(again);
		await n8n.untilDelivered(n8n.write('+15550001111', 'Are you there?').deliveries);
		await n8n.untilDelivered(n8n.write(asked[2], 'third').deliveries);
		await n8n.untilDelivered(n8n.write(asked[1], 'second').deliveries);
		expect(await n8n.replies(waiting)).toEqual(['first', 'second', 'third']);
		expect(await n8n.executions(inbox, 3)).toHaveLength(3);

		expect((await runCampaign()).status).toBe('success');
		const outbound = messages.all.filter(({ text }) => text === 'Sale!');
		expect(countBy(outbound, 'phone')).toEqual(countBy(people));
		await client.deactivate(inbox);
		expect(webhooks.all).toEqual([]);
	},
);
