import type { IWebhookDescription } from 'n8n-workflow';

/**
 * What n8n takes deliveries with while an execution waits. Nothing is registered when a workflow is switched on, so the
 * node has no methods for that.
 */
export const replyWebhooks: IWebhookDescription[] = [
	{
		name: 'default',
		httpMethod: 'POST',
		responseMode: 'onReceived',
		path: '={{ $nodeId }}',
		restartWebhook: true,
		isFullPath: true,
	},
];
