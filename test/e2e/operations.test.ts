/** Every operation on a real n8n, with an item that fails. */
import { outputOf } from '../../tools/n8n/client';
import { node, to, workflow } from '../../tools/n8n/workflow';
import { testEveryOperation } from '../support/everyOperation';
import { manualTrigger, tested, useN8n, workflowOf } from './support/n8n';

const n8n = useN8n();

beforeEach(() => n8n.sandbox.reset());

testEveryOperation(n8n);

test('nodes after both outputs find the item that each result came from', async () => {
	const people = [1, 2, 3].map((n) => ({ n, phone: `+1555000100${n}` }));
	const file = workflowOf(
		n8n.playground,
		people,
		{ resource: 'message', operation: 'sendText', to: '={{ $json.phone }}', text: 'Hi' },
		{ onError: 'continueErrorOutput' },
	);
	const value = "={{ $('Items').item.json.n }}";
	const assignments = [{ id: '1', name: 'origin', type: 'number', value }];
	const after = ['Sent', 'Failed'].map((name) =>
		node(name, 'n8n-nodes-base.set', 3.4, { assignments: { assignments } }),
	);
	const { id } = await n8n.client.createWorkflow({
		...file,
		nodes: [...file.nodes, ...after],
		connections: { ...file.connections, [tested]: to(['Sent', 'Failed']) },
	});
	await n8n.fault({ endpoint: 'sendText', match: people[1].phone, status: 422 });
	const execution = await n8n.client.waitForExecution(await n8n.client.run(id, manualTrigger));
	const origins = (node: string) => outputOf(execution, node).map(({ json }) => json.origin);
	expect([origins('Sent'), origins('Failed')]).toEqual([[1, 3], [2]]);
});

test("n8n's HTTP Request node calls the service with the credential (Custom API Call)", async () => {
	const { credential, sandbox } = n8n.playground;
	const request = {
		url: `${sandbox.url}/v1/auth/me`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'businessMessagingApi',
	};
	const credentials = { businessMessagingApi: credential };
	const file = workflow('Custom API Call', [
		node(manualTrigger, 'n8n-nodes-base.manualTrigger', 1),
		node(tested, 'n8n-nodes-base.httpRequest', 4.2, request, { credentials }),
	]);
	const { id } = await n8n.client.createWorkflow(file);
	const execution = await n8n.client.waitForExecution(await n8n.client.run(id, manualTrigger));
	expect(execution.status).toBe('success');
	expect(sandbox.state.requests.last().map(({ url, status }) => [url, status])).toContainEqual([
		'/v1/auth/me',
		200,
	]);
});
