/** Previews equal what a run gives. `npm run docs` has them written instead of compared. */
import type { INodeParameters } from 'n8n-workflow';

import { operations } from '../../nodes/BusinessMessaging/description';
import {
	answerFields,
	readSettings,
} from '../../nodes/BusinessMessaging/operations/message/question';
import { outputsOf } from '../../nodes/BusinessMessaging/reply/output';
import { filesBelow } from '../support/build';
import { caseOf, itemsFor, parametersOf } from '../support/everyOperation';
import { previewFolder, previewOf, readPreview, writePreview } from '../support/previews';
import { useService } from '../support/service';

const isWriting = process.env.WRITE_PREVIEWS === '1';
const service = useService({ sampleContacts: 3 });

/** What makes a preview say more than the parameters of the other tests do. */
const telling: Record<string, INodeParameters> = {
	'contact upsert': { phone: '={{ $json.phone }}', name: 'Carl' },
	'template getAll': { limit: 3 },
};

function check(resource: string, operation: string, output: unknown): void {
	if (isWriting) writePreview(resource, operation, output);
	expect(readPreview(resource, operation)).toEqual({ ...previewOf(output), version: 1 });
}

test.each(operations.filter(({ waits }) => !waits))(
	'$resource $value',
	async ({ resource, value }) => {
		const name = `${resource} ${value}`;
		const [first] = await itemsFor(service, caseOf(resource, value));
		const [contact] = service.sandbox.state.contacts.all;
		const item = { ...first, phone: contact.phone };
		const { outputs, error } = await service.run({
			parameters: { ...parametersOf(name), ...telling[name] },
			items: [item],
		});
		expect(error).toBeUndefined();
		check(resource, value, outputs[0].at(-1)?.json);
	},
);

test('message sendAndWait', () => {
	const defaults = Object.fromEntries(
		answerFields.map((field) => [field.name, field.default]),
	) as Parameters<typeof readSettings>[0];
	const to = '+15551000000';
	const question = { item: 0, to, askedMessageId: 'msg_1', askedTime: 0, expected: 0 };
	const message = {
		text: 'Yes, please',
		messageId: 'msg_2',
		respondedAt: '2030-01-31T10:00:00.000Z',
	};
	const answer = { messages: [message], isAccepted: true };
	const context = { getNode: () => ({ type: 'businessMessaging' }) } as Parameters<
		typeof outputsOf
	>[0];
	const settings = [readSettings(defaults)];
	const wait = { run: '1', until: 0, questions: [question], settings, notAsked: [] };
	const [[item]] = outputsOf(context, wait, new Map([[0, answer]]));
	check('message', 'sendAndWait', item.json);
});

test('there is one for each operation, and none for anything else', () => {
	const expected = operations.map(
		({ resource, value }) => `${previewFolder}/${resource}/${value}.json`,
	);
	expect(filesBelow(previewFolder)).toEqual(expected.sort());
});

test('a simplified record has at most 10 fields', () => {
	const simplified = operations.filter(({ fields }) =>
		fields.some(({ name }) => name === 'simplify'),
	);
	expect(simplified.length).toBeGreaterThan(0);
	for (const { resource, value } of simplified) {
		const preview = readPreview(resource, value);
		expect(
			Object.keys(preview?.type === 'object' ? preview.properties : {}).length,
		).toBeLessThanOrEqual(10);
	}
});
