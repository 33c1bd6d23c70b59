/**
 * `npm start`: a real n8n with this project's nodes, and the sandbox. `npm run dev`: the same, and loads the nodes
 * again whenever they change.
 */
import { watch } from 'node:fs';
import path from 'node:path';
import debounce from 'lodash/debounce';
import pick from 'lodash/pick';
import { onStop, readFlags, runMain } from '../harness/cli';
import { importExamples, registerAgain } from '../harness/examples';
import { PROJECT_FOLDER } from '../harness/n8n/packProject';
import { openPlayground, type Playground } from '../harness/playground';
import { readPort } from '../harness/processes';

const USAGE = `Usage: npm start -- [--n8n-port 5678] [--sandbox-port 4010] [--folder .playground] [--watch]
Starts n8n with the nodes of this project, and the sandbox. What you do in n8n is kept in the folder.
--watch builds the nodes and starts n8n again whenever a file of them changes. N8N_LOG_LEVEL=debug writes more into n8n's log.`;

runMain(async () => {
	const flags = readFlags(
		{ 'n8n-port': 'string', 'sandbox-port': 'string', folder: 'string', watch: 'boolean' },
		USAGE,
	);
	const folder = path.resolve(PROJECT_FOLDER, flags.folder ?? '.playground');
	const n8nPort = await readPort(flags['n8n-port'], '--n8n-port', 5678);
	const sandboxPort = await readPort(flags['sandbox-port'], '--sandbox-port', 4010);

	// How much n8n writes into its log: error, warn, info or debug.
	const env = pick(process.env, 'N8N_LOG_LEVEL');
	const playground = await openPlayground({ folder, n8nPort, sandboxPort, env });
	const { n8n, credential } = playground;
	onStop(async () => {
		console.log('\nStopping n8n and the sandbox …');
		await playground.close();
	});
	for (const problem of await registerAgain(n8n.client)) console.error(problem);
	await importExamples(n8n.client, credential);
	console.log(welcome(playground));
	if (flags.watch) await watchNodes(playground);
	else await n8n.ended();
});

/** Loads the nodes again after each change, as long as the program runs. Compiler errors are shown. */
async function watchNodes({ reload }: Playground): Promise<never> {
	let loading = Promise.resolve();
	const reloadSoon = debounce(() => {
		loading = loading.then(reload).catch((error: Error) => console.error(error.message));
	}, 300);
	for (const folder of ['nodes', 'credentials'])
		watch(path.join(PROJECT_FOLDER, folder), { recursive: true }, reloadSoon);
	return await new Promise<never>(() => undefined);
}

function welcome({ n8n, sandbox }: Playground): string {
	return `
  n8n     ${n8n.url}
  Phone   ${sandbox.url}/   what your customers see, and where you reply as them

  Log in to n8n as ${n8n.owner.email} with the password ${n8n.owner.password}

  1. Open the workflow "Campaign with results" and click "Execute workflow": "Send welcome" shows ${sandbox.state.contacts.all.length} messages, and sends none.
     Open that step, set "Mode" to "Send", and click "Execute workflow" again: on the phone, the customers get their messages.
  2. On the phone, click "Tell me more" below one of them: the workflow "Auto-reply" answers.
  3. Open the workflow "Campaign results", click the arrow beside "Execute workflow", choose "from Show the report", and click the button.
     Then open "Report": its output is the chart.

  The service's Base URL is ${sandbox.url}, its API key ${sandbox.key}; the credential "Sandbox" in n8n has both.
  n8n's log is ${n8n.logFile}
  Ctrl-C stops both.
`;
}
