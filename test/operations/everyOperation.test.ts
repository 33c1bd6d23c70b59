/** Every operation in n8n's engine over HTTP, with an item that fails, and the preview of its output. */
import type { INodeParameters } from 'n8n-workflow';

import { operations } from '../../nodes/BusinessMessaging/description';
import { until } from '../../tools/until';
import {
	caseOf,
	itemsFor,
	parametersOf,
	previewFolder,
	previewOf,
	readPreview,
	testEveryOperation,
	writePreview,
} from '../support/everyOperation';
import { filesBelow } from '../support/files';
import { useService } from '../support/service';

const service = useService({ sampleContacts: 3 });
testEveryOperation(service);

describe('previews equal what a run gives', () => {
	/** `npm run docs` has them written instead of compared. */
	function check(resource: string, operation: string, output: unknown): void {
		if (process.env.WRITE_PREVIEWS === '1') writePreview(resource, operation, output);
		expect(readPreview(resource, operation)).toEqual({ ...previewOf(output), version: 1 });
	}

	/** What makes a preview say more than the parameters of the other tests do. */
	const telling: Record<string, INodeParameters> = {
		'contact upsert': { phone: '={{ $json.phone }}', name: 'Carl' },
		'template getAll': { limit: 3 },
	};

	test.each(operations.filter(({ waits }) => !waits))(
		'$resource $value',
		async ({ resource, value }) => {
			const name = `${resource} ${value}`;
			const [first] = await itemsFor(service, caseOf(resource, value));
			const [{ phone }] = service.sandbox.state.contacts.all;
			const { outputs, error } = await service.run({
				parameters: { ...parametersOf(name), ...telling[name] },
				items: [{ ...first, phone }],
			});
			expect(error).toBeUndefined();
			check(resource, value, outputs[0].at(-1)?.json);
		},
	);

	test('message sendAndWait', async () => {
		const to = '+15551000000';
		const waiting = await service.engine.runUntilWaiting({
			parameters: { resource: 'message', operation: 'sendAndWait', to, message: 'Tuesday?' },
			credentials: service.credentials(),
		});
		service.sandbox.state.traffic.receive({ from: to, text: 'Yes, please' });
		const isOver = async () => waiting.outputs !== undefined;
		await until('the answer', isOver);
		check('message', 'sendAndWait', waiting.outputs?.[0][0].json);
	});

	test('there is one for each operation, and none for anything else', () => {
		const expected = operations.map(
			({ resource, value }) => `${previewFolder}/${resource}/${value}.json`,
		);
		expect(filesBelow(previewFolder)).toEqual(expected.sort());
	});
});
