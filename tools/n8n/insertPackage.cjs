'use strict';
// Runs on n8n's own Node.js: notes in n8n's database that a community package is installed, as n8n does after an
// installation of its own. Arguments: the database file, and the package as JSON.
const { DatabaseSync } = require('node:sqlite');

const [file, json] = process.argv.slice(2);
const { name, version, author, nodes } = JSON.parse(json);
const database = new DatabaseSync(file, { timeout: 10_000 });

database.exec('PRAGMA foreign_keys = ON; BEGIN IMMEDIATE');
database.prepare('DELETE FROM installed_nodes WHERE package = ?').run(name);
database
	.prepare(
		`INSERT INTO installed_packages (packageName, installedVersion, authorName, authorEmail, createdAt, updatedAt)
		VALUES (?, ?, ?, ?, datetime(), datetime())
		ON CONFLICT (packageName) DO UPDATE SET installedVersion = excluded.installedVersion, updatedAt = excluded.updatedAt`,
	)
	.run(name, version, author?.name ?? '', author?.email ?? '');
for (const node of nodes) {
	database
		.prepare('INSERT INTO installed_nodes (name, type, latestVersion, package) VALUES (?, ?, ?, ?)')
		.run(node.displayName, node.type, node.version, name);
}
database.exec('COMMIT');
database.close();
