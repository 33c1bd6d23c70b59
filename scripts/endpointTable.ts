/** `npm run docs` writes with it which operations use an endpoint, and which tests name it: those that order faults or count calls. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { apiPaths, endpoints, type Endpoint } from '../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../nodes/BusinessMessaging/description';
import { filesBelow, root } from '../test/support/files';

/** docs/endpoints.md. */
export function endpointTable(): string {
	const tests = filesBelow('test')
		.filter((file) => file.endsWith('.test.ts'))
		.map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
	const rows = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => {
		const methods = apiPaths.map((apiPath) => endpoint.methods[apiPath] ?? '–').join(' / ');
		const using = operations
			.filter((operation) => operation.endpoint === endpoint)
			.map(({ resource, value }) => `${resource} ${value}`);
		const naming = tests
			.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text))
			.map(({ file }) => path.relative('test', file).replace(/\.test\.ts$/, ''));
		const cells = [
			methods,
			`\`${endpoint.path}\``,
			using.join(', ') || '–',
			naming.join(', ') || '–',
		];
		return `| ${cells.join(' | ')} |`;
	});
	return `# Endpoints and their tests

Written by \`npm run docs\`. Every operation runs in n8n's engine (\`npm test\`), at every variant of the service
(\`npm run test:variants\`) and on a real n8n (\`npm run test:e2e\`), each time with three items, also with the middle one refused. The last
column names the files below \`test\` that go further: they have this endpoint fail, or count how often it is called. How much of the
code runs over HTTP is what \`npm run test:coverage\` measures.

| Method under ${apiPaths.map((apiPath) => `\`${apiPath}\``).join(' / ')} | Path | Operations | Tests that name it |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
