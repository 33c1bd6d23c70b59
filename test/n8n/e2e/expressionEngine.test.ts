/** Runs the tests of values and rules on n8n's default expression engine, with the Node.js that n8n installs. */
import { runCommand } from '../../../harness/processes';
import { installN8n } from '../../../harness/n8n/install';
import { root } from '../../../harness/engine/files';

const files = ['execution/expressions', 'execution/rounds', 'operations/missingValues'];
const limit = 5 * 60_000;

test(
	"the values of fields are the same on n8n's default expression engine",
	async () => {
		const { node } = await installN8n();
		const jest = ['node_modules/jest/bin/jest.js', '--maxWorkers', '1'];
		await runCommand(node, [...jest, '--selectProjects', 'engine', ...files], { cwd: root, limit });
	},
	limit,
);
