/** Whatever JSON a service responds with, each operation ends with an output or with an error in words. */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { anyBody, rawWords } from '../../harness/anyJson';
import { everyOperation, parametersOf } from '../../harness/engine/everyOperation';
import { locator, sendText, useService } from '../../harness/engine/service';

const service = useService();
/** Operations that read lists before they send. */
const more: Record<string, INodeParameters> = {
	'with a fallback template': {
		...{ ...sendText, useFallbackTemplate: true },
		...{ fallbackTemplate: locator('welcome', 'name'), fallbackLanguage: locator('en_US', 'code') },
	},
	'with an excluded segment': { ...sendText, audienceRules: { excludeSegment: 'opted-out' } },
};

test('every operation, with any JSON', async () => {
	const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
	const operations = fc.constantFrom(...Object.keys({ ...everyOperation, ...more }));
	const statuses = fc.constantFrom(200, 200, 200, 201, 400, 404, 422);
	const check = async (name: string, body: unknown, status: number, isSimple: boolean) => {
		service.sandbox.reset();
		jest.spyOn(service.sandbox.state.adapter, 'answer').mockReturnValue({ status, body });
		const parameters = { simplify: isSimple, ...(more[name] ?? parametersOf(name)) };
		const credentials = service.credentials(service.newKey());
		const { error, outputs } = await service.run({
			parameters,
			items: [{ n: 1, id: 'x1' }],
			credentials,
		});
		if (error) expect(error.message).not.toMatch(rawWords);
		else expect(outputs[0]).toEqual(expect.any(Array));
	};
	const property = fc.asyncProperty(operations, anyBody, statuses, fc.boolean(), check);
	await fc.assert(property, { seed, numRuns: 600 });
});
