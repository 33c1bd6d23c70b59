/** The engines that `npm run test:compat` goes through, and the tests that each has to pass. */

/** What an engine lacks. */
interface Lack {
	reason: string;
	words: string;
}

/** An engine of n8n, as a release of n8n brings it. */
export interface EngineVersions {
	/** Release of n8n; without a patch number if only the parts of it that are named here can be installed. */
	n8n: string;
	/** What its package.json names (`npm view n8n@X dependencies`), as far as a node meets it. */
	packages: Record<'n8n-core' | 'n8n-workflow' | 'zod' | 'lodash' | 'luxon', string>;
	/** Why it is in the list. */
	note: string;
	/** Areas that do not pass as a whole: why, and words that an error must contain. */
	lacks: Record<string, Lack>;
}

/** Rows of the table, each with its test files, below `test` and without `.test.ts`. */
export const areas: Record<string, string[]> = {
	'Credential: test': ['credentials/credential'],
	'Lists to choose from': ['editor/pickers'],
	'Send Template': ['operations/template'],
	'Every operation, one item fails': ['operations/everyOperation'],
	'Retry On Fail, Retry button': ['execution/campaign'],
	'Send Once': ['execution/sendOnce'],
	'Send and Wait for Response': ['reply/asking'],
	'Trigger: register, remove': ['trigger/lifecycle'],
	'Trigger: events, strangers': ['trigger/deliveries'],
};

const noSendAndWait: Record<string, Lack> = {
	'Send and Wait for Response': {
		reason: 'it needs n8n 1.107 or newer, and says so',
		words: 'needs n8n 1.107 or newer',
	},
};
const oldRetry: Record<string, Lack> = {
	'Retry On Fail, Retry button': {
		reason: 'Retry On Fail does nothing for a node that continues on errors',
		words: '+15550001000',
	},
};

type Row = [
	...versions: [string, string, string, string, string, string],
	note: string,
	lacks?: Record<string, Lack>,
];

/** n8n, n8n-core, n8n-workflow, zod, lodash, luxon; newest first. Below 1.84 n8n-workflow has no NodeConnectionTypes. */
const rows: Row[] = [
	['2.41.1', '2.41.1', '2.41.0', '3.25.76', '4.18.1', '3.7.2', 'newest'],
	['2.20.0', '2.20.0', '2.20.0', '3.25.67', '4.18.1', '3.7.2', 'half-way through 2.x'],
	['2.0.3', '2.0.2', '2.0.1', '3.25.67', '4.17.21', '3.4.4', 'first minor version of 2.x'],
	['1.123.81', '1.122.48', '1.120.31', '3.25.67', '4.18.1', '3.4.4', 'last 1.x'],
	[
		...(['1.107', '1.106.2', '1.104.1', '3.25.67', '4.17.21', '3.4.4'] as const),
		'oldest with signed URLs that resume an execution (getSignedResumeUrl)',
	],
	['1.105.4', '1.104.3', '1.102.2', '3.25.67', '4.17.21', '3.4.4', 'without them', noSendAndWait],
	[
		'1.85.4',
		'1.84.0',
		'1.83.0',
		'3.24.1',
		'4.17.21',
		'3.4.4',
		'oldest that works',
		{ ...noSendAndWait, ...oldRetry },
	],
];

export const engines: EngineVersions[] = rows.map(
	([n8n, core, workflow, zod, lodash, luxon, note, lacks = {}]) => ({
		n8n,
		packages: { 'n8n-core': core, 'n8n-workflow': workflow, zod, lodash, luxon },
		note,
		lacks,
	}),
);

/** Versions of zod that the package has to get along with besides the engines' own: it imports what n8n happens to have. */
export const zodVersions = ['3.22.4', '3.25.76', '4.6.7'];
