/** Parts of schedules that are written by hand. */
import type { Action, Setting } from './parts';

/** One process and one trigger, without trouble. */
export const setting: Setting = {
	processes: 1,
	triggers: 1,
	sharesWorkflow: false,
	manual: null,
	refusesRepetitions: false,
	keepsExecutions: true,
	trouble: 0,
	skew: 0,
	showsClock: true,
};
/** A run asks people. */
export const ask = (at: number, people: number[], more: object = {}): Action => ({
	...{ is: 'ask', at, people, failing: [], kind: 'freeText', limit: 400 },
	...{ pace: 0, dies: false, ...more },
});
/** A person writes. */
export const write = (at: number, person: number, more: object = {}): Action => ({
	...{ is: 'write', at, person, text: 'yes', isCertain: true, ...more },
});
/** The service delivers messages of people together. */
export const list = (at: number, people: number[]): Action => ({
	...{ is: 'list', at },
	messages: people.map((person) => ({ person, text: 'yes', isCertain: true })),
});
/** A trigger is unpublished for `gone` seconds, and publishing it takes `takes` seconds. */
export const publish = (
	at: number,
	trigger: number,
	gone: number,
	takes: number,
	more: object = {},
): Action => ({
	...{ is: 'publish', at, trigger, gone, takes, isNew: false, isRemoved: true, ...more },
});
