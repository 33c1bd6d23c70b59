/** Runs that send a text to the same four people, with Audience Rules. */
import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions, RunResult } from '../../../harness/engine/execution';
import { type Service, sendText } from '../../../harness/engine/service';

/** Phone numbers of four people. */
export const [anna, berta, carl, dora] = [1, 2, 3, 4].map((n) => `+1555000100${n}`);
/** An item for each of them. */
export const people = [anna, berta, carl, dora].map((phone) => ({ phone }));

/** How a run differs from the usual one. */
export type RunValues = Omit<RunOptions, 'parameters'> & {
	rules?: INodeParameters;
	parameters?: INodeParameters;
};

/** Why each item of the output got no message. */
export const reasons = ({ outputs }: RunResult) => outputs[0].map(({ json }) => json.reason);

/** `run` sends a text to everybody; `sentTo` tells who got a message. */
export const audienceRuns = (service: Service) => ({
	run: async ({ rules = {}, parameters, ...options }: RunValues) =>
		await service.run({
			items: people,
			...options,
			parameters: {
				...sendText,
				to: '={{ $json.phone }}',
				text: '=Hello {{ $json.phone }}',
				audienceRules: rules,
				...parameters,
			},
		}),
	sentTo: () => service.sent().map(({ phone }) => phone),
});
