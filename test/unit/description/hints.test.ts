/** What n8n shows of the nodes outside of their parameters: to its builder, and while a run waits. */
import { BusinessMessaging } from '../../../nodes/BusinessMessaging/BusinessMessaging.node';
import { BusinessMessagingTrigger } from '../../../nodes/BusinessMessaging/BusinessMessagingTrigger.node';
import { readText } from '../../../harness/engine/files';

const { name: packageName } = JSON.parse(readText('package.json')) as { name: string };
const node = new BusinessMessaging().description;
const trigger = new BusinessMessagingTrigger().description;

test("n8n's builder learns for which services the node is not meant, and about the trigger", () => {
	const { searchHint, relatedNodes = [] } = node.builderHint ?? {};
	expect(searchHint).toMatch(/^Only for .*WhatsApp.*Telegram/);
	expect(relatedNodes.map(({ nodeType }) => nodeType)).toEqual([`${packageName}.${trigger.name}`]);
	for (const { relationHint } of relatedNodes as Array<{ relationHint: string }>)
		expect(relationHint).toMatch(/^Starts a workflow .*Send and Wait/);
});

test('while a run waits, n8n says for what', () => {
	expect(node.waitingNodeTooltip).toBe('Waiting for replies in the chat');
});
