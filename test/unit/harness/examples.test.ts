/** What `npm start` does with the workflows of an earlier start. */
import { registerAgain } from '../../../harness/examples';
import type { N8nClient } from '../../../harness/n8n/client';
import { TRIGGER } from '../../../harness/n8n/workflow';

test('a workflow that cannot be published is named, and the others are published all the same', async () => {
	const calls: string[] = [];
	const names = ['A', 'B', 'C'];
	const client = {
		listWorkflows: async () => names.map((name) => ({ id: name, name, active: true })),
		getWorkflow: async () => ({ nodes: [{ type: TRIGGER }], activeVersionId: null }),
		deactivate: async (id: string) => void calls.push(`-${id}`),
		activate: async (id: string) => {
			if (id === 'B') throw new Error('Its credential is gone');
			calls.push(`+${id}`);
		},
	} as unknown as N8nClient;
	expect(await registerAgain(client)).toEqual([
		'The workflow "B" could not be published: Its credential is gone',
	]);
	expect(calls).toEqual(['-A', '+A', '-B', '-C', '+C']);
});
