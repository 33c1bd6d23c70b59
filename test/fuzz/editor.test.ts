/** Whatever JSON a service responds with, the lists and forms of the editor and the test of the credential show records, or an error in words. */
import fc from 'fast-check';

import { anyBody, anyJson, anyList, rawWords } from '../../harness/anyJson';
import { pickers } from '../../nodes/BusinessMessaging/editor/pickers';
import { resourceMapping } from '../../nodes/BusinessMessaging/editor/templateForm';
import { locator, useService } from '../../harness/engine/service';

const service = useService();
const parameters = {
	resource: 'message',
	operation: 'sendTemplate',
	template: locator('welcome', 'name'),
	language: locator('en_US', 'code'),
};
const editor = () =>
	service.engine.editor({ parameters, credentials: service.credentials(service.newKey()) });

const calls: Record<string, () => Promise<unknown>> = {
	...Object.fromEntries(
		Object.keys(pickers).map((name) => [name, async () => await editor().listSearch(name, 'a')]),
	),
	...Object.fromEntries(
		Object.keys(resourceMapping).map((name) => [
			name,
			async () => await editor().resourceMapping(name),
		]),
	),
	testCredential: async () =>
		await service.engine.testCredential(service.credentials(service.newKey())),
};

test.each(Object.keys(calls))('%s', async (name) => {
	const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
	const template = fc.record({
		...{ name: fc.constantFrom('welcome', 'a'), language: fc.constantFrom('en_US', 'de_DE') },
		...{ id: anyJson, status: anyJson, components: fc.oneof(anyList, anyJson) },
	});
	const templates = fc.record({ data: fc.array(template, { maxLength: 3 }) });
	const bodies = fc.oneof({ weight: 4, arbitrary: anyBody }, templates);
	const check = async (body: unknown, status: number) => {
		service.sandbox.reset();
		jest.spyOn(service.sandbox.state.adapter, 'answer').mockReturnValue({ status, body });
		const shown = await calls[name]().catch((error: Error) => error);
		expect(shown instanceof Error ? shown.message : JSON.stringify(shown)).not.toMatch(rawWords);
	};
	const statuses = fc.constantFrom(200, 200, 200, 201, 400, 404, 422);
	await fc.assert(fc.asyncProperty(bodies, statuses, check), {
		seed,
		numRuns: 60,
	});
});
