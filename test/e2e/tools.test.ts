/** What a language model learns about the node as a tool, and what it can do with it. */
import type { INode, INodeParameters, INodeProperties } from 'n8n-workflow';

import { properties } from '../../nodes/BusinessMessaging/description';
import { outputOf } from '../../tools/n8n/client';
import { ACTION, node } from '../../tools/n8n/workflow';
import { agentWith } from './support/agent';
import { type Model, startModel } from './support/model';
import { manualTrigger, tested, useN8n } from './support/n8n';

const n8n = useN8n();

beforeEach(() => n8n.sandbox.reset());

/** The name that n8n's editor gives to a field that the model fills in: derived from its label. */
function keyOf(label: string): string {
	return label.replace(/[^a-zA-Z0-9-]/g, '_').slice(0, 63);
}

const fromModel = (label: string) => `={{ $fromAI('${keyOf(label)}', \`\`, 'string') }}`;

function labelOf(operation: string, name: string): string {
	const isOurs = ({ displayOptions }: INodeProperties) =>
		displayOptions?.show?.operation?.includes(operation);
	return (
		properties.find((property) => property.name === name && isOurs(property))?.displayName ?? ''
	);
}

const tool = (operation: string, parameters: INodeParameters): INode =>
	node(
		tested,
		`${ACTION}Tool`,
		1,
		{ resource: 'message', operation, ...parameters },
		{
			credentials: { businessMessagingApi: n8n.playground.credential },
		},
	);

/** Has an agent call the tool with the given arguments. @returns the tool as the model was shown it, and what it said in the end */
async function call(
	args: Record<string, string>,
	node: INode,
): Promise<{ shown: Model['requests'][number]['tools']; said: unknown }> {
	const model = await startModel(args);
	try {
		const { id } = await n8n.client.createWorkflow(await agentWith(n8n.client, model, [node]));
		const execution = await n8n.client.waitForExecution(await n8n.client.run(id, manualTrigger));
		return { shown: model.requests[0].tools, said: outputOf(execution, 'Agent')[0]?.json.output };
	} finally {
		await model.close();
	}
}

test('a text goes to the recipient that the model chooses, and the tool describes what to fill in', async () => {
	const [phone, text] = [labelOf('sendText', 'to'), labelOf('sendText', 'text')];
	const node = tool('sendText', { to: fromModel(phone), text: fromModel(text) });
	const { shown, said } = await call(
		{ [keyOf(phone)]: '+1 555 000 1001', [keyOf(text)]: 'We are open' },
		node,
	);
	expect(shown).toMatchObject([
		{
			function: {
				description: 'Send text message in Business Messaging',
				parameters: { required: ['Recipient_Phone_Number', 'Text'] },
			},
		},
	]);
	expect(n8n.sandbox.state.messages.all).toMatchObject([
		{ phone: '+15550001001', text: 'We are open' },
	]);
	expect(said).toContain('messageId');
});

test('the variables of a template are told with the text around them', async () => {
	const label = 'Body 1: {{1}} is your…';
	const field = { id: 'body_1', displayName: label, type: 'string' };
	const schema = [{ ...field, required: true, defaultMatch: false, display: true }];
	const variables = {
		mappingMode: 'defineBelow',
		value: { body_1: fromModel(label) },
		matchingColumns: [],
		schema,
	};
	const template = { __rl: true, mode: 'list', value: 'login_code' };
	const node = tool('sendTemplate', {
		to: '+15550001001',
		template,
		language: { __rl: true, mode: 'list', value: 'en_US' },
		specifyVariables: 'fields',
		variables,
	});
	const { shown } = await call({ [keyOf(label)]: '4711' }, node);
	expect(shown).toMatchObject([
		{
			function: {
				description: 'Send template message in Business Messaging',
				parameters: { required: [keyOf(label)] },
			},
		},
	]);
	expect(n8n.sandbox.state.messages.all).toMatchObject([{ text: '4711 is your login code.' }]);
});

test('the model gets the reason of a refused message', async () => {
	const phone = labelOf('sendText', 'to');
	const { said } = await call(
		{ [keyOf(phone)]: '0170 1234567' },
		tool('sendText', { to: fromModel(phone), text: 'Hi' }),
	);
	expect(said).toContain('has no country code');
});
