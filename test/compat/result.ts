/** What comes out of running the package on one engine. */

/** By the checks' names: true if it passed, else what went wrong, in one line. */
export type Checks = Record<string, true | string>;

/** One engine with one zod. */
export interface RunnerResult {
	/** Versions that were really loaded. */
	node: string;
	core: string;
	workflow: string;
	/** The zod that the package's own `require('zod')` finds. */
	zod: string;
	checks: Checks;
}

/** What the runner is told, as JSON in the environment variable {@link orderVariable}. */
export interface RunnerOrder {
	/** Folder of the unpacked tarball. */
	packageFolder: string;
	/** Address and key of the sandbox. */
	sandbox: { url: string; key: string };
	/** File for the {@link RunnerResult}: engines print what they like. */
	resultFile: string;
}

/** Name of the environment variable. */
export const orderVariable = 'COMPATIBILITY_ORDER';
