/** Figures of what really happened. */
import type { Handlers } from './types';

export const analyticsHandlers: Pick<
	Handlers,
	'getMessageStatistics' | 'getCampaignStatistics' | 'getAgentStatistics'
> = {
	getMessageStatistics: ({ state }) => ({ ...state.analytics.overall }),

	getCampaignStatistics: ({ state }) => ({ data: state.analytics.campaigns }),

	getAgentStatistics: ({ state }) => ({
		data: state.keys.keys.map(({ id, name }) => ({ id, name, ...state.analytics.agentOf(id) })),
	}),
};
