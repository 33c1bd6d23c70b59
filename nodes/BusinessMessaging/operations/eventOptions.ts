import type { INodePropertyOptions } from 'n8n-workflow';

import { eventKinds } from '../api/events';

/** The kinds of event as options of a field, sorted by name. */
export const eventOptions: INodePropertyOptions[] = eventKinds.map(
	({ name, value, description }) => ({ name, value, description }),
);
