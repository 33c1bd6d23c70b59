/** Groups of fields, such as Signature. n8n leaves out values that are the defaults when it saves a workflow, but not the group. */
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
