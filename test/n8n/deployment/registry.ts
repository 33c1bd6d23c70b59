/** A package registry that contains only our package. It has the host name of the registry from which n8n installs community packages. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onStop } from '../../../harness/cli';
import type { N8nInstall } from '../../../harness/n8n/install';
import { PROJECT_FOLDER } from '../../../harness/n8n/packProject';
import { spawnTree, stopTree } from '../../../harness/processes';

const COMMUNITY_PACKAGES =
	'node_modules/n8n/dist/modules/community-packages/community-packages.service.js';

/** Its ports must differ from those of the proxy under test: no administration, no port 80, no HTTP/3. */
const GLOBAL =
	'{\n\tadmin off\n\tauto_https disable_redirects\n\tservers {\n\t\tprotocols h1 h2\n\t}\n}\n';

/** The host from which n8n installs. */
export async function registryOf({ folder }: N8nInstall): Promise<string> {
	const source = await readFile(path.join(folder, COMMUNITY_PACKAGES), 'utf8');
	const [, url] = /DEFAULT_REGISTRY = '(.+?)'/.exec(source) ?? [];
	return new URL(url).hostname;
}

interface RegistryOptions {
	name: string;
	address: string;
	tarball: string;
	/** Tells Caddy which authority signs its certificate. */
	env: NodeJS.ProcessEnv;
}

/** Starts the registry with HTTPS. It runs until the program ends. */
export async function startRegistry({ name, address, tarball, env }: RegistryOptions) {
	const packed = await readFile(tarball);
	const manifest = JSON.parse(await readFile(path.join(PROJECT_FOLDER, 'package.json'), 'utf8'));
	const { name: id, version } = manifest as { name: string; version: string };
	const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
	const dist = { tarball: `https://${name}/package.tgz`, integrity };
	const release = { ...manifest, devDependencies: {}, dist };
	const document = { name: id, 'dist-tags': { latest: version }, versions: { [version]: release } };
	const answers: Record<string, string | Buffer> = {
		[`/${id}`]: JSON.stringify(document),
		[`/${id}/latest`]: JSON.stringify(release),
		[`/${id}/${version}`]: JSON.stringify(release),
		'/package.tgz': packed,
	};
	const server = createServer(({ url = '' }, response) => {
		const answer = answers[url];
		response.writeHead(answer ? 200 : 404).end(answer ?? '{}');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const site = `${name} {\n\tbind ${address}\n\ttls internal\n\treverse_proxy 127.0.0.1:${port}\n}\n`;
	const config = path.join(path.dirname(tarball), 'Caddyfile');
	await writeFile(config, `${GLOBAL}${site}`);
	const command = ['run', '--adapter', 'caddyfile', '--config', config];
	const child = spawnTree('caddy', command, { env: { ...process.env, ...env }, stdio: 'ignore' });
	onStop(async () => {
		await stopTree(child, 5_000);
		server.close();
	});
}
