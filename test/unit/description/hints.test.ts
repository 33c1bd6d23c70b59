/** What n8n shows of the nodes outside of their parameters: to its builder, and while a run waits. */
import { BusinessMessaging } from '../../../nodes/BusinessMessaging/BusinessMessaging.node';
import { BusinessMessagingTrigger } from '../../../nodes/BusinessMessaging/BusinessMessagingTrigger.node';
import { readText } from '../../../harness/engine/files';

const { name: packageName } = JSON.parse(readText('package.json')) as { name: string };

test("n8n's builder learns for which services the node is not meant, and about the trigger", () => {
	const { searchHint, relatedNodes = [] } = new BusinessMessaging().description.builderHint ?? {};
	const trigger = new BusinessMessagingTrigger().description;
	expect(searchHint).toMatch(/^Only for .*WhatsApp.*Telegram/);
	expect(relatedNodes.map(({ nodeType }) => nodeType)).toEqual([`${packageName}.${trigger.name}`]);
	for (const { relationHint } of relatedNodes as Array<{ relationHint: string }>)
		expect(relationHint).toMatch(/^Starts a workflow .*Send and Wait/);
});

test('while a run waits, n8n says for what', () => {
	const { waitingNodeTooltip } = new BusinessMessaging().description;
	expect(waitingNodeTooltip).toBe('Waiting for replies in the chat');
});

test('the node has its name, tests its credential, and is a tool', () => {
	const { description, methods } = new BusinessMessaging();
	expect(description).toMatchObject({
		...{ displayName: 'Business Messaging', name: 'businessMessaging', version: 1 },
		...{ defaults: { name: 'Business Messaging' }, usableAsTool: true },
		...{ inputs: ['main'], outputs: ['main'] },
	});
	for (const { name, required, testedBy } of description.credentials ?? []) {
		expect([name, required]).toEqual(['businessMessagingApi', true]);
		expect(Object.keys(methods.credentialTest)).toEqual([testedBy]);
	}
	expect(description.credentials).toHaveLength(1);
});
