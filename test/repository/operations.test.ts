/** docs/operations.md equals what the nodes output. `npm run docs -- operations` writes it. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { eventKinds } from '../../nodes/BusinessMessaging/api/events';
import { operations, localOperations } from '../../nodes/BusinessMessaging/nodeProperties';
import { previewedOutput, repliedOutput, localOutput } from '../../harness/engine/everyOperation';
import { readText, root } from '../../harness/engine/files';
import { Triggers, customer, sendText, useService } from '../../harness/engine/service';
import { until } from '../../harness/until';
import { operationsPage, type Outputs } from '../../scripts/operationsPage';

const service = useService({ sampleContacts: 3 });

/** What differs between two runs: times, IDs and keys. */
const withoutChance = (output: unknown): unknown =>
	JSON.parse(
		JSON.stringify(output)
			.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2030-01-31T10:00:00.000Z')
			.replaceAll(/\b([a-z]{3}_)[\da-f]{6}[\da-z]{6}\b/g, '$11f2e3d')
			.replaceAll(/"executionId":"\d+"/g, '"executionId":"1234"')
			.replaceAll(/sandbox-key-[\da-f]{32}/g, 'sandbox-key-1f2e3d'),
	);

test('docs/operations.md is what the nodes say and output', async () => {
	const outputs: Outputs = {};
	for (const { resource, value, waits } of operations) {
		service.sandbox.reset();
		outputs[`${resource} ${value}`] = waits
			? await repliedOutput(service)
			: await previewedOutput(service, resource, value);
	}
	for (const { resource, value } of localOperations)
		outputs[`${resource} ${value}`] = await localOutput(service, resource, value);
	service.sandbox.reset();
	const events = eventKinds.map(({ value }) => value);
	const trigger = await new Triggers(service).active({ parameters: { events } });
	const { traffic, messages } = service.sandbox.state;
	traffic.receive({ from: customer, text: 'Hello' });
	await service.run({ parameters: { ...sendText, to: customer } });
	for (const status of ['sent', 'delivered', 'read', 'failed'] as const)
		traffic.setStatus(messages.all[1], status);
	await until('all events', () => trigger.executions.length === events.length);
	for (const { items } of trigger.executions)
		outputs[String(items[0][0].json.event)] = items[0][0].json;
	const page = operationsPage(withoutChance(outputs) as Outputs);
	if (process.env.WRITE_PREVIEWS === '1')
		writeFileSync(path.join(root, 'docs/operations.md'), page);
	const hint = 'npm run docs -- operations';
	expect({ hint, page: readText('docs/operations.md') }).toEqual({ hint, page });
});
