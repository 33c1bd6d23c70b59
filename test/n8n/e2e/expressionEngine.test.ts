/** The tests of values and rules on n8n's default expression engine, for which n8n brings its own Node.js. */
import { runCommand } from '../../../harness/processes';
import { installN8n } from '../../../harness/n8n/install';
import { root } from '../../../harness/engine/files';

const files = ['execution/expressions', 'execution/rounds', 'operations/missingValues'];
const limit = 5 * 60_000;

test(
	'what is read from the fields is the same on the expression engine that n8n uses by default',
	async () => {
		const { node } = await installN8n();
		const jest = ['node_modules/jest/bin/jest.js', '--maxWorkers', '1'];
		await runCommand(node, [...jest, '--selectProjects', 'engine', ...files], { cwd: root, limit });
	},
	limit,
);
