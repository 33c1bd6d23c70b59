/** Recognizing n8n's engine 2.0, and evaluations, in which nothing may be sent. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { isEvaluation, isOnEngine2 } from '../../../nodes/BusinessMessaging/execution/n8nMode';

const uuid7 = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
const evaluationTrigger = { name: 'Dataset', type: 'n8n-nodes-base.evaluationTrigger' };
const manualTrigger = { name: 'Click', type: 'n8n-nodes-base.manualTrigger' };

/** What n8n says of an execution; `parents` are the nodes before a node, by its name. */
interface Given {
	id?: string;
	mode?: string;
	type?: string;
	evaluation?: object;
	executed?: string[];
	parents?: Record<string, object[]>;
}
const execution = ({
	id = '7',
	mode = 'manual',
	type = 'businessMessaging',
	evaluation,
	executed = ['Dataset', 'Click'],
	parents = { Node: [manualTrigger] },
}: Given) =>
	({
		getExecutionId: () => id,
		getMode: () => mode,
		getNode: () => ({ name: 'Node', type }),
		getParentNodes: (name: string) => parents[name] ?? [],
		getWorkflowDataProxy: () => ({
			$: (name: string) => ({ isExecuted: executed.includes(name) }),
			$evaluation: evaluation,
			$prevNode: { name: 'Agent' },
		}),
	}) as unknown as IExecuteFunctions;

test.each([
	[uuid7, true],
	[uuid7.toUpperCase(), true],
	['7', false],
	['019a2b3c-4d5e-4f60-8a1b-2c3d4e5f6071', false],
	[`x${uuid7}`, false],
])('the execution %s runs on engine 2.0: %j', (id, expected) => {
	expect(isOnEngine2(execution({ id }))).toBe(expected);
});

const after = { Node: [manualTrigger, evaluationTrigger] };

test.each<[Given, boolean]>([
	[{}, false],
	[{ mode: 'evaluation' }, true],
	[{ evaluation: { id: 1 } }, true],
	[{ parents: after }, true],
	[{ parents: after, executed: ['Click'] }, false],
	[{ parents: after, executed: ['Click'], id: uuid7 }, true],
	[{ parents: { Agent: [evaluationTrigger] } }, false],
	[{ parents: { Agent: [evaluationTrigger] }, type: 'businessMessagingTool' }, true],
])('with %j, it is an evaluation: %j', (given, expected) => {
	expect(isEvaluation(execution(given))).toBe(expected);
});
