/** The engines that `npm run test:compat` goes through. */
import { UserError } from '../../tools/cli';

/** An engine of n8n, as a release of n8n brings it. */
export interface EngineVersions {
	/** Release of n8n; without a patch number if only the parts of it that are named here can be installed. */
	n8n: string;
	/** What its package.json names (`npm view n8n@X dependencies`), as far as a node meets it. */
	packages: Record<'n8n-core' | 'n8n-workflow' | 'zod' | 'lodash' | 'luxon', string>;
	/** Why it is in the list. */
	note: string;
	/** Checks that it does not pass, each with words that the error must contain; absent if it passes all. */
	lacks?: Record<string, string>;
}

/** Name of the check that is made first; without it there are no others. */
export const loading = 'Load nodes and credential';

const older = { lodash: '4.17.21', luxon: '3.4.4' };
const noSendAndWait = { 'Send and Wait for Response': 'needs n8n 1.107 or newer' };

/** Newest first. */
const engines: EngineVersions[] = [
	{
		n8n: '2.41.1',
		packages: {
			'n8n-core': '2.41.1',
			'n8n-workflow': '2.41.0',
			zod: '3.25.76',
			lodash: '4.18.1',
			luxon: '3.7.2',
		},
		note: 'newest',
	},
	{
		n8n: '2.20.0',
		packages: {
			'n8n-core': '2.20.0',
			'n8n-workflow': '2.20.0',
			zod: '3.25.67',
			lodash: '4.18.1',
			luxon: '3.7.2',
		},
		note: 'half-way through 2.x',
	},
	{
		n8n: '2.0.3',
		packages: { 'n8n-core': '2.0.2', 'n8n-workflow': '2.0.1', zod: '3.25.67', ...older },
		note: 'first minor version of 2.x',
	},
	{
		n8n: '1.123.81',
		packages: {
			'n8n-core': '1.122.48',
			'n8n-workflow': '1.120.31',
			zod: '3.25.67',
			lodash: '4.18.1',
			luxon: '3.4.4',
		},
		note: 'last 1.x',
	},
	{
		n8n: '1.107',
		packages: { 'n8n-core': '1.106.2', 'n8n-workflow': '1.104.1', zod: '3.25.67', ...older },
		note: 'oldest with signed URLs that resume an execution (getSignedResumeUrl)',
	},
	{
		n8n: '1.105.4',
		packages: { 'n8n-core': '1.104.3', 'n8n-workflow': '1.102.2', zod: '3.25.67', ...older },
		note: 'without them',
		lacks: noSendAndWait,
	},
	{
		n8n: '1.85.4',
		packages: { 'n8n-core': '1.84.0', 'n8n-workflow': '1.83.0', zod: '3.24.1', ...older },
		note: 'oldest that works',
		lacks: noSendAndWait,
	},
	{
		n8n: '1.82.3',
		packages: { 'n8n-core': '1.81.1', 'n8n-workflow': '1.80.1', zod: '3.24.1', ...older },
		note: 'the newest to be had below that: its n8n-workflow has no NodeConnectionTypes, which the rules for community nodes demand; nor has 1.82.0, that of n8n 1.84',
		lacks: { [loading]: "reading 'Main'" },
	},
];

/** Versions of zod that the package shall get along with besides the engine's own: it imports what n8n happens to have. */
export const zodVersions = ['3.22.4', '3.25.76', '4.6.7'];

/** Those that a run is to go through: all, or the releases that `only` names, separated by commas. @throws UserError for one that is not there */
export function chosenEngines(only?: string): EngineVersions[] {
	if (only === undefined) return engines;
	return only.split(',').map((name) => {
		const found = engines.find(({ n8n }) => n8n === name);
		if (!found)
			throw new UserError(`"${name}" is none of ${engines.map(({ n8n }) => n8n).join(', ')}`);
		return found;
	});
}
