import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { N8nServer } from './server';
import { UserError } from '../userError';
import { runCommand } from '../processes';

/**
 * Notes in a running n8n's SQLite database that a package is installed, so that it is listed under Settings, Community
 * nodes, and its nodes are marked as installed. (n8n does so when it installs a package itself; it loads a package without, too.)
 * @throws UserError when n8n has not loaded the package's nodes
 */
export async function recordPackage(n8n: N8nServer, name: string): Promise<void> {
	const data = path.join(n8n.place.userFolder, '.n8n');
	const manifest = path.join(data, 'nodes', 'node_modules', name, 'package.json');
	const { version, author } = JSON.parse(readFileSync(manifest, 'utf8')) as {
		version: string;
		author?: unknown;
	};
	const types = (await n8n.client.nodeTypes()).filter((type) => type.name.startsWith(`${name}.`));
	// n8n itself makes further forms of a node, those that AI agents use.
	const ours = types.filter(
		(type) =>
			!types.some((other) => [`${other.name}Tool`, `${other.name}HitlTool`].includes(type.name)),
	);
	if (ours.length === 0)
		throw new UserError(`n8n could not load the nodes of ${name} (its log: ${n8n.logFile}).`);
	const nodes = ours.map((type) => ({
		displayName: type.displayName,
		type: type.name,
		version: Math.max(...[type.version].flat()),
	}));
	const script = path.join(__dirname, 'insertPackage.cjs');
	const json = JSON.stringify({ name, version, author, nodes });
	await runCommand(n8n.install.node, [script, path.join(data, 'database.sqlite'), json], {
		limit: 30_000,
	});
}
