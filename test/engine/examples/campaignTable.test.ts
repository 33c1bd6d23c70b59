/** The example Campaign results and the campaign log. */
import type { WorkflowFile } from '../../../harness/n8n/client';
import { readText } from '../../../harness/engine/files';
import { logTable } from '../../../nodes/BusinessMessaging/execution/logTable';

test('Campaign results creates the same table as Send Once, if somebody writes before the first campaign', () => {
	const { nodes } = JSON.parse(readText('examples/campaign-results.json')) as WorkflowFile;
	const { parameters } = nodes.find(({ name }) => name === 'Campaign log')!;
	const { column } = parameters.columns as { column: Array<{ name: string; type?: string }> };
	const columns = column.map(({ name, type = 'string' }) => [name, type]);
	expect([parameters.tableName, columns]).toEqual([
		logTable.name,
		Object.entries(logTable.columns),
	]);
});
