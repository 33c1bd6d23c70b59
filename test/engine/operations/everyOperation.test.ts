/** Every operation in n8n's engine over HTTP, also with a failing item; and the preview of its output. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { mapValues } from 'lodash';
import { ExecuteContext } from 'n8n-core';

import { operations, localOperations } from '../../../nodes/BusinessMessaging/nodeProperties';
import {
	previewedOutput,
	localOutput,
	repliedOutput,
	testEveryOperation,
} from '../../../harness/engine/everyOperation';
import { filesBelow, readText, root } from '../../../harness/engine/files';
import { useService } from '../../../harness/engine/service';

const service = useService({ sampleContacts: 3 });
testEveryOperation(service);

/** The folder of the previews. n8n looks for it beside the node's file, with one folder for each version of the node. */
const previewFolder = 'nodes/BusinessMessaging/__schema__/v1.0.0';

/** The JSON schema of a value, as far as n8n reads it. For a list, only the schema of its first entry. */
function previewOf(value: unknown): object {
	if (value === null || value === undefined) return { type: 'null' };
	if (Array.isArray(value)) return { type: 'array', items: previewOf(value[0] ?? '') };
	if (typeof value !== 'object') return { type: typeof value };
	return { type: 'object', properties: mapValues(value, previewOf) };
}

describe('previews equal the output of a run', () => {
	/** `npm run docs` writes the previews instead of comparing them. */
	function check(resource: string, operation: string, output: unknown): void {
		const name = `${previewFolder}/${resource}/${operation}.json`;
		const preview = { ...previewOf(output), version: 1 };
		if (process.env.WRITE_PREVIEWS === '1') {
			const file = path.join(root, name);
			mkdirSync(path.dirname(file), { recursive: true });
			writeFileSync(file, `${JSON.stringify(preview, null, '\t')}\n`);
		}
		const hint = `\`npm run docs -- schemas\` writes ${name}`;
		const written = existsSync(path.join(root, name)) ? JSON.parse(readText(name)) : 'missing';
		expect({ hint, preview: written }).toEqual({ hint, preview });
	}

	test.each(operations.filter(({ waits }) => !waits))(
		'$resource $value',
		async ({ resource, value }) =>
			check(resource, value, await previewedOutput(service, resource, value)),
	);

	test.each(localOperations)('$resource $value', async ({ resource, value }) =>
		check(resource, value, await localOutput(service, resource, value)),
	);

	/** Not available in older engines: see `npm run test:compat`. */
	const testOfWaiting = 'getSignedResumeUrl' in ExecuteContext.prototype ? test : test.skip;

	testOfWaiting('message sendAndWait', async () =>
		check('message', 'sendAndWait', await repliedOutput(service)),
	);

	test('each operation has a preview, and nothing else has one', () => {
		const expected = [...operations, ...localOperations].map(
			({ resource, value }) => `${previewFolder}/${resource}/${value}.json`,
		);
		expect(filesBelow(previewFolder)).toEqual(expected.sort());
	});
});
