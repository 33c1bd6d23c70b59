import path from 'node:path';
import type { N8nInstall } from './install';

/** Variables of the machine that would change what n8n does: it shall be the same n8n everywhere. */
const FOREIGN =
	/^(N8N_|DB_|QUEUE_|EXECUTIONS_|CREDENTIALS_|NODES_|NODE_FUNCTION_|ENDPOINT_|GENERIC_TIMEZONE$|WEBHOOK_URL$|VUE_APP_|NODE_ENV$|NODE_OPTIONS$|JEST_|npm_)/;

/** The ports and the folder of one n8n. */
export interface N8nPlace {
	userFolder: string;
	port: number;
	/** Where n8n's task runners meet it; one of its own for each n8n on the machine. */
	brokerPort: number;
}

/** The environment of an n8n that runs unattended, on loopback alone, and calls nobody. */
export function n8nEnvironment(
	install: N8nInstall,
	{ userFolder, port, brokerPort }: N8nPlace,
): NodeJS.ProcessEnv {
	const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
	return {
		...Object.fromEntries(inherited),
		PATH: [path.dirname(install.node), process.env.PATH].join(path.delimiter),
		N8N_USER_FOLDER: userFolder,
		N8N_PORT: String(port),
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
		N8N_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
		N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}/`,
		N8N_SECURE_COOKIE: 'false',
		GENERIC_TIMEZONE: Intl.DateTimeFormat().resolvedOptions().timeZone,
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '10',
		...QUIET,
	};
}

/** No telemetry, no news, no questions, nothing fetched from n8n's own servers. */
const QUIET = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_DISABLED_MODULES: 'mcp-registry',
	N8N_PYTHON_ENABLED: 'false',
	// The defaults of n8n 2.41, said aloud so that it does not warn that they will change.
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_RUNNERS_TASK_TIMEOUT: '300',
};
