/** The handlers of all endpoints. */
import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { accountHandlers } from './account';
import { analyticsHandlers } from './analytics';
import { contactHandlers } from './contacts';
import { conversationHandlers } from './conversations';
import { messageHandlers } from './messages';
import { templateHandlers } from './templates';
import type { Call, Handlers } from './types';
import { webhookHandlers } from './webhooks';

const handlers: Handlers = {
	...accountHandlers,
	...analyticsHandlers,
	...contactHandlers,
	...conversationHandlers,
	...messageHandlers,
	...templateHandlers,
	...webhookHandlers,
};

/** Runs the handler of an endpoint. */
export function handle<Name extends EndpointName>(
	name: Name,
	call: Call<Name>,
): ReturnType<Handlers[Name]> {
	return handlers[name](call) as ReturnType<Handlers[Name]>;
}
