/**
 * Groups of fields, such as Signature. When n8n saves a workflow, it leaves out values that are the defaults, but not the
 * group. n8n 2.41 never leaves out a group, so these tests can fail only in older versions, with `npm run test:compat`.
 */
import { type INodeParameters, NodeHelpers } from 'n8n-workflow';

import { useService } from '../../../harness/engine/service';

const service = useService();

const sending = (audienceRules: INodeParameters): INodeParameters => ({
	resource: 'message',
	operation: 'sendText',
	audienceRules,
});
const signature = {
	values: { scheme: 'sha256-hex', header: 'X-Signature', prefix: '', timestampHeader: '' },
};
const sendWindow = { values: { days: 'mondayToSaturday', hours: '09:00–20:00', timeZone: '' } };

test.each<[string, string, INodeParameters]>([
	['Signature', 'businessMessagingTrigger', { options: { signature } }],
	['Send Window', 'businessMessaging', sending({ sendWindow })],
	[
		'Frequency Cap',
		'businessMessaging',
		sending({ frequencyCap: { values: { messages: 1, per: 'week' } } }),
	],
])('%s, added with its defaults, is still there after saving and loading', (_, name, added) => {
	const { properties } = service.engine.loaded.node(name).description;
	const read = (parameters: INodeParameters | null, withDefaults: boolean) =>
		NodeHelpers.getNodeParameters(
			properties,
			parameters,
			withDefaults,
			false,
			{ typeVersion: 1 },
			null, // in older versions of n8n, this parameter has another meaning
		);
	const saved = read(added, false);
	expect(read(saved, true)).toMatchObject(added);
});
